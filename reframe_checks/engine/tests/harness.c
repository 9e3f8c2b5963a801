/* SPDX-License-Identifier: BSD-3-Clause */
/* harness.c: the assertions of the unit tests (see harness.h). */
#include "harness.h"

#include <math.h>
#include <stdio.h>

static void harness_close_case(struct harness *harness)
{
    if (harness->name == NULL)
        return;
    printf("%s  %s\n", harness->failed ? "FAIL" : "ok  ", harness->name);
    harness->failures += harness->failed;
}

void harness_case(struct harness *harness, const char *name)
{
    harness_close_case(harness);
    harness->name = name;
    harness->failed = false;
    harness->cases++;
}

void harness_check(struct harness *harness, bool holds, const char *text, const char *file, int line)
{
    if (holds)
        return;
    printf("      %s:%d: not true: %s\n", file, line, text);
    harness->failed = true;
}

void harness_near(struct harness *harness, double value, double expected, double tolerance, const char *file, int line)
{
    if (fabs(value - expected) <= tolerance * fmax(fabs(expected), 1e-300) || (isnan(value) && isnan(expected)))
        return;
    printf("      %s:%d: %.17g, wanted %.17g\n", file, line, value, expected);
    harness->failed = true;
}

int harness_end(struct harness *harness, const char *program)
{
    harness_close_case(harness);
    harness->name = NULL;
    printf("%s: %d cases, %d failed\n", program, harness->cases, harness->failures);
    return harness->failures == 0 ? 0 : 1;
}
