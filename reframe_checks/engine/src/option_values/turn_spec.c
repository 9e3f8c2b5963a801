/* SPDX-License-Identifier: BSD-3-Clause */
/* turn_spec.c: parses the values of --turns and --turn (see turn_spec.h). */
#include "option_values/turn_spec.h"

#include "base/text.h"

#include <string.h>

enum { TURN_SPEC_DIGITS = 4, TURN_SPEC_NAME = 100 };

int turn_spec_parse(const char *text, struct turn_spec *spec, struct fault *fault)
{
    const size_t length = strcspn(text, "/");
    char first[TURN_SPEC_DIGITS] = "";
    int64_t index = -1, residents = -1;
    if (length < sizeof first)
        memcpy(first, text, length);
    const bool read = text[length] == '/' && text_integer(first, &index) && text_integer(text + length + 1, &residents);
    if (!read || residents < TURN_SPEC_MIN || residents > TURN_SPEC_MAX || index < 0 || index >= residents)
        return fault_set(fault, FAULT_USAGE, "--turn '%.20s': give I/N, N from %d to %d and I from 0 to N - 1", text,
                         TURN_SPEC_MIN, TURN_SPEC_MAX);
    *spec = (struct turn_spec){(int)index, (int)residents};
    return 0;
}

int turn_spec_check_name(const char *name, struct fault *fault)
{
    static const char ALLOWED[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-";
    const size_t length = strlen(name);
    if (strspn(name, ALLOWED) == length && length <= TURN_SPEC_NAME)
        return 0;
    return fault_set(fault, FAULT_USAGE, "--turns '%.100s': give at most %d letters, digits, '.', '_' and '-'", name,
                     TURN_SPEC_NAME);
}
