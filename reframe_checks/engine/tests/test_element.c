/* SPDX-License-Identifier: BSD-3-Clause */
/* test_element.c: descriptions of derived datatypes, refused ones, and the offsets of bytes in an array of elements. */
#include "harness.h"
#include "option_values/element.h"

#include <string.h>

static void test_accepted(struct harness *h)
{
    struct element element;
    struct fault fault = {0};
    harness_case(h, "a vector: data in blocks, memory in strides");
    harness_is(h, element_is_derived("vector:2:3:5") && !element_is_derived("double") && !element_is_derived("vector"));
    harness_is(h, element_parse("vector:2:3:5", &element, &fault) == 0);
    harness_is(h, element.kind == ELEMENT_VECTOR && element.size == 6 && element.extent == 10);
    harness_is(h, element.pieces == 2 && element.length[0] == 3 && element.stride == 5);
    harness_case(h, "indexed: the extent ends with the last block");
    harness_is(h, element_is_derived("indexed:1@1,3@4"));
    harness_is(h, element_parse("indexed:1@1,3@4", &element, &fault) == 0);
    harness_is(h, element.kind == ELEMENT_INDEXED && element.size == 4 && element.extent == 7 && element.pieces == 2);
    harness_is(h, element.length[1] == 3 && element.displacement[1] == 4);
    harness_case(h, "blocks without a gap, and the largest that there may be");
    harness_is(h, element_parse("vector:1:1:1", &element, &fault) == 0 && element.extent == 1);
    harness_is(h, element_parse("indexed:2@0,2@2", &element, &fault) == 0 && element.size == element.extent);
    harness_is(h, element_parse("vector:2:8388608:8388608", &element, &fault) == 0 && element.extent == ELEMENT_LIMIT);
    harness_is(h, fault.code == FAULT_NONE);
}

static void test_refused(struct harness *h)
{
    static const char *const wrong[] = {
        "vector:",
        "vector:2",
        "vector:2:3",
        "vector:2:3:2",
        "vector:0:1:1",
        "vector:1:0:1",
        "vector:1:1:1:1",
        "vector:2:1:8388609",
        "vector:-1:1:1",
        "vector:1:1:16777217",
        "vector:a:1:1",
        "indexed:",
        "indexed:1",
        "indexed:0@1",
        "indexed:1@",
        "indexed:@1",
        "indexed:1@1,",
        "indexed:1@4,1@1",
        "indexed:2@0,1@1",
        "indexed:1@1@1",
        "indexed:1,1@1",
        "indexed:1@16777217",
        "byte",
        "",
    };
    harness_case(h, "errors are refused as usage, and named");
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        struct element element;
        struct fault fault = {0};
        harness_is(h, element_parse(wrong[i], &element, &fault) != 0);
        harness_is(h, fault.code == FAULT_USAGE && strstr(fault.text, wrong[i]) != NULL);
    }
}

static void test_pieces(struct harness *h)
{
    char text[8 * (ELEMENT_PIECES + 1) + 16] = "indexed:";
    struct element element;
    struct fault fault = {0};
    size_t end = strlen(text);
    for (int i = 0; i < ELEMENT_PIECES; i++) {
        const char piece[] = {'1', '@', (char)('0' + i / 10), (char)('0' + i % 10), ',', '\0'};
        memcpy(text + end, piece, sizeof piece);
        end += sizeof piece - 1;
    }
    text[end - 1] = '\0';
    harness_case(h, "the largest number of pieces, and one more");
    harness_is(h, element_parse(text, &element, &fault) == 0 && element.pieces == ELEMENT_PIECES);
    memcpy(text + end - 1, ",1@99", sizeof ",1@99");
    harness_is(h, element_parse(text, &element, &fault) != 0 && fault.code == FAULT_USAGE);
}

static void test_offsets(struct harness *h)
{
    static const int64_t vector[] = {0, 1, 5, 6, 10, 11, 15, 16}, indexed[] = {1, 4, 5, 6, 8, 11, 12, 13};
    static const int64_t vector_runs[] = {2, 1, 2, 1, 2, 1, 2, 1}, indexed_runs[] = {1, 3, 2, 1, 1, 3, 2, 1};
    const struct element basic = {.kind = ELEMENT_BASIC, .size = 4, .extent = 4};
    struct element two, three;
    struct fault fault = {0};
    harness_case(h, "the bytes of an array of elements, by hand");
    harness_is(h, element_parse("vector:2:2:5", &two, &fault) == 0);
    harness_is(h, element_parse("indexed:1@1,3@4", &three, &fault) == 0);
    for (int64_t i = 0; i < 8; i++) {
        int64_t run = 0;
        harness_is(h, element_offset(&basic, i, &run) == i && run > INT64_C(4000000000));
        harness_is(h, element_offset(&two, i, &run) == vector[i] && run == vector_runs[i]);
        harness_is(h, element_offset(&three, i, &run) == indexed[i] && run == indexed_runs[i]);
    }
    int64_t run = 0;
    harness_is(h, element_offset(&two, INT64_C(4000000000), &run) == INT64_C(10000000000) && run == 2);
}

static void test_names(struct harness *h)
{
    const struct element_name *name = NULL;
    const char *datatype = NULL;
    struct fault fault = {0};
    harness_case(h, "named datatypes are valid, derived, and of a power of two bytes");
    for (int i = 0; i < ELEMENT_NAME_COUNT; i++) {
        struct element element;
        harness_is(h, element_parse(ELEMENT_NAMES[i].text, &element, &fault) == 0);
        harness_is(h, element.size >= 64 && (element.size & (element.size - 1)) == 0 && element.extent > element.size);
        harness_is(h, element_of(&ELEMENT_NAMES[i]).extent == element.extent);
    }
    harness_case(h, "an operation with a datatype, and what is not one");
    harness_is(h, element_follows("bcast@indexed", "bcast", &datatype) && strcmp(datatype, "indexed") == 0);
    harness_is(h, element_follows("bcast@", "bcast", &datatype) && *datatype == '\0');
    harness_is(h,
               !element_follows("bcast", "bcast", &datatype) && !element_follows("ibcast@indexed", "bcast", &datatype));
    harness_case(h, "sizes that are not multiples do not fit");
    harness_is(h, element_find("bcast", "vector-32", &name, &fault) == 0 && strcmp(name->name, "vector-32") == 0);
    harness_is(h, element_fits(name, 0) && element_fits(name, 1024) && !element_fits(name, 256));
    harness_is(h, element_fits(NULL, 7));
    harness_case(h, "an unknown name is refused with those that there are");
    harness_is(h, element_find("bcast", "vector-33", &name, &fault) == FAULT_USAGE && name == NULL);
    harness_is(h, strcmp(fault.text, "--operations: 'bcast@vector-33': unknown datatype; give one of "
                                     "vector-8|vector-32|vector-512|indexed") == 0);
}

int main(void)
{
    struct harness harness = {0};
    test_accepted(&harness);
    test_refused(&harness);
    test_pieces(&harness);
    test_offsets(&harness);
    test_names(&harness);
    return harness_end(&harness, "test_element");
}
