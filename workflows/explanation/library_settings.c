/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * library_settings.c: prints the settings of an MPI library, which are the
 * control variables of its tool interface (MPI_T, MPI 3.0 and later).
 *
 * One JSON object on each line. The first has the member "library", the text of
 * MPI_Get_library_version. Each further one is a setting: "name", "kind"
 * (integer, real, boolean, text), "value" as text, "constant" (true: nobody can
 * set it), "choices" (texts; empty if any value is possible) and "meaning".
 * Settings of single communicators, windows and files are left out, and those
 * that cannot be read.
 *
 * To be run as one process: most variables exist only after MPI_Init, when the
 * components are loaded that have them.
 */
#include <mpi.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

enum { TEXT = 65536 };

static void print_text(const char *text)
{
    putchar('"');
    for (const unsigned char *c = (const unsigned char *)text; *c != '\0'; c++) {
        if (*c == '"' || *c == '\\')
            printf("\\%c", *c);
        else if (*c < 0x20 || *c >= 0x7f)
            printf("\\u%04x", *c);
        else
            putchar(*c);
    }
    putchar('"');
}

/* Print kind and value of a variable; `value` holds `count` elements, followed
 * by a zero. */
static void print_value(MPI_Datatype type, const void *value)
{
    char text[64] = "";
    const char *kind = "integer";
    const char *shown = text;
    if (type == MPI_CHAR) {
        kind = "text";
        shown = value;
    } else if (type == MPI_DOUBLE) {
        kind = "real";
        snprintf(text, sizeof text, "%.17g", *(const double *)value);
    } else if (type == MPI_C_BOOL) {
        kind = "boolean";
        snprintf(text, sizeof text, "%d", *(const bool *)value);
    } else if (type == MPI_INT)
        snprintf(text, sizeof text, "%d", *(const int *)value);
    else if (type == MPI_UNSIGNED)
        snprintf(text, sizeof text, "%u", *(const unsigned *)value);
    else if (type == MPI_UNSIGNED_LONG)
        snprintf(text, sizeof text, "%lu", *(const unsigned long *)value);
    else if (type == MPI_UNSIGNED_LONG_LONG)
        snprintf(text, sizeof text, "%llu", *(const unsigned long long *)value);
    else if (type == MPI_COUNT)
        snprintf(text, sizeof text, "%lld", (long long)*(const MPI_Count *)value);
    else {
        int size = 0;
        MPI_Type_size(type, &size);
        if (size == (int)sizeof(long long))
            snprintf(text, sizeof text, "%lld", *(const long long *)value);
        else if (size == (int)sizeof(int))
            snprintf(text, sizeof text, "%d", *(const int *)value);
        else
            kind = "unknown";
    }
    printf(",\"kind\":\"%s\",\"value\":", kind);
    print_text(shown);
}

/* Print the names of an enumeration. */
static void print_choices(MPI_T_enum choices)
{
    int count = 0, length = 0;
    printf(",\"choices\":[");
    if (choices != MPI_T_ENUM_NULL && MPI_T_enum_get_info(choices, &count, NULL, &length) == MPI_SUCCESS)
        for (int i = 0; i < count; i++) {
            static char name[TEXT];
            int value = 0, name_length = sizeof name;
            name[0] = '\0';
            if (MPI_T_enum_get_item(choices, i, &value, name, &name_length) != MPI_SUCCESS)
                continue;
            static char item[TEXT + 32];
            snprintf(item, sizeof item, "%d:%s", value, name);
            if (i > 0)
                putchar(',');
            print_text(item);
        }
    putchar(']');
}

static void print_setting(int index)
{
    static char name[TEXT], meaning[TEXT];
    int name_length = sizeof name, meaning_length = sizeof meaning, verbosity = 0, bound = 0, scope = 0, count = 0;
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_T_enum choices = MPI_T_ENUM_NULL;
    MPI_T_cvar_handle handle;
    name[0] = meaning[0] = '\0';
    if (MPI_T_cvar_get_info(index, name, &name_length, &verbosity, &type, &choices, meaning, &meaning_length, &bound,
                            &scope) != MPI_SUCCESS ||
        bound != MPI_T_BIND_NO_OBJECT || MPI_T_cvar_handle_alloc(index, NULL, &handle, &count) != MPI_SUCCESS)
        return;
    void *const value = calloc((size_t)count + 1, sizeof(long double));
    if (value != NULL && MPI_T_cvar_read(handle, value) == MPI_SUCCESS) {
        printf("{\"name\":");
        print_text(name);
        print_value(type, value);
        printf(",\"constant\":%s", scope == MPI_T_SCOPE_CONSTANT ? "true" : "false");
        print_choices(choices);
        printf(",\"meaning\":");
        print_text(meaning);
        printf("}\n");
    }
    free(value);
    MPI_T_cvar_handle_free(&handle);
}

int main(int argc, char **argv)
{
    static char library[MPI_MAX_LIBRARY_VERSION_STRING];
    int length = 0, provided = 0, count = 0;
    if (MPI_Init(&argc, &argv) != MPI_SUCCESS || MPI_T_init_thread(MPI_THREAD_SINGLE, &provided) != MPI_SUCCESS)
        return 1;
    MPI_Get_library_version(library, &length);
    printf("{\"library\":");
    print_text(library);
    printf("}\n");
    if (MPI_T_cvar_get_num(&count) == MPI_SUCCESS)
        for (int i = 0; i < count; i++)
            print_setting(i);
    MPI_T_finalize();
    MPI_Finalize();
    return 0;
}
