/* SPDX-License-Identifier: BSD-3-Clause */
/* fault.c: turns an error into one line of text and an exit code (see fault.h). */
#include "base/fault.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>

int fault_set(struct fault *fault, enum fault_code code, const char *format, ...)
{
    if (fault->code == FAULT_NONE) {
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(fault->text, sizeof fault->text, format, arguments);
        va_end(arguments);
        for (char *c = fault->text; *c != '\0'; c++)
            if (iscntrl((unsigned char)*c))
                *c = '?'; /* text from the user must not break the line */
        fault->code = code;
    }
    return (int)fault->code;
}
