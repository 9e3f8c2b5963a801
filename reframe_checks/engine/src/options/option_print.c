/* SPDX-License-Identifier: BSD-3-Clause */
/* option_print.c: the options as help text and as JSON, both from the option table. */
#include "options/option_print.h"

#include "options/option_table.h"

#include <string.h>

/* "--clock-sync" as "clock_sync". */
static void options_key(const struct option_rule *rule, char key[32])
{
    size_t i = 0;
    for (const char *c = rule->name + 2; *c != '\0' && i < 31; c++)
        key[i++] = *c == '-' ? '_' : *c;
    key[i] = '\0';
}

static void options_write_text(struct json *json, const char *key, const char *value)
{
    if (value == NULL)
        json_null(json, key);
    else
        json_text(json, key, value);
}

void options_write(const struct options *options, struct json *json)
{
    size_t count = 0;
    const struct option_rule *const rules = option_table(&count);
    for (size_t r = 0; r < count; r++) {
        const char *const field = (const char *)options + rules[r].field;
        const char *word = NULL;
        int64_t integer = 0;
        int choice = 0;
        double real = 0.0;
        char key[32];
        options_key(&rules[r], key);
        switch (rules[r].kind) {
        case OPTION_CHOICE:
            memcpy(&choice, field, sizeof choice);
            json_text(json, key, rules[r].words[choice]);
            break;
        case OPTION_TEXT:
            memcpy(&word, field, sizeof word);
            if (strcmp(key, "operations") != 0 && strcmp(key, "sizes") != 0)
                options_write_text(json, key, word);
            break;
        case OPTION_INTEGER:
            memcpy(&integer, field, sizeof integer);
            json_integer(json, key, integer);
            break;
        case OPTION_REAL:
            memcpy(&real, field, sizeof real);
            json_real(json, key, real);
            break;
        case OPTION_FLAG:
            json_boolean(json, key, *(const bool *)field);
            break;
        case OPTION_PAIRS: /* the member "launch" of the header */
            break;
        }
    }
}

void options_help(FILE *stream)
{
    size_t count = 0;
    const struct option_rule *const rules = option_table(&count);
    fputs("isochron-engine: measures MPI collectives with synchronised starts.\n\n"
          "usage: mpiexec -n N isochron-engine --operations LIST --sizes SIZES --output FILE [option value ...]\n\n"
          "example:\n"
          "  mpiexec -n 2 isochron-engine --operations bcast,allreduce --sizes 8:64KiB:x8 --output run.jsonl\n\n"
          "options:\n",
          stream);
    for (size_t r = 0; r < count; r++) {
        const struct option_rule *const rule = &rules[r];
        if (rule->help == NULL)
            continue;
        char text[OPTION_VALUE];
        const char *const value = option_value(rule, text);
        fprintf(stream, "  %s%s%s\n      %s", rule->name, value == NULL ? "" : " ", value == NULL ? "" : value,
                rule->help);
        if (rule->initial != NULL)
            fprintf(stream, " [%s]", rule->initial);
        fputc('\n', stream);
    }
    fputs("\nexit codes: 0 measured, 2 usage, 3 the environment cannot be measured, 4 wrong data,\n"
          "            5 MPI error or output cannot be written\n",
          stream);
}
