/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * harness.h: the assertions of the unit tests.
 *
 * A test program calls harness_case before each case, harness_is in it, and ends with harness_end, which prints the
 * count and gives the exit status.
 */
#ifndef ISOCHRON_HARNESS_H
#define ISOCHRON_HARNESS_H

#include <stdbool.h>

struct harness {
    const char *name; /* of the current case */
    bool failed;      /* the current case */
    int cases;
    int failures;
};

/* Begin a case; print the line of the previous one. */
void harness_case(struct harness *harness, const char *name);

/* Fail the current case, with a message, unless the condition holds. */
void harness_check(struct harness *harness, bool holds, const char *text, const char *file, int line);

/* Fail the current case unless the values agree to the relative tolerance. */
void harness_near(struct harness *harness, double value, double expected, double tolerance, const char *file, int line);

int harness_end(struct harness *harness, const char *program);

#define harness_is(harness, condition) harness_check(harness, condition, #condition, __FILE__, __LINE__)
#define harness_is_near(harness, value, expected, tolerance)                                                           \
    harness_near(harness, value, expected, tolerance, __FILE__, __LINE__)

#endif
