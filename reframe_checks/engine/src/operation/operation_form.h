/* SPDX-License-Identifier: BSD-3-Clause */
/* operation_form.h: the forms of an operation, and their names, the same in the engine and in the candle. */
#ifndef ISOCHRON_OPERATION_FORM_H
#define ISOCHRON_OPERATION_FORM_H

#include <stdbool.h>
#include <stdio.h>

enum operation_form {
    FORM_BASE,
    FORM_NONBLOCKING,
    FORM_PERSISTENT,
    FORM_MULTI,         /* all groups act at the same time, not only the first */
    FORM_THREADS,       /* by several threads of each process, on one communicator */
    FORM_THREADS_COMMS, /* the same, each thread on a communicator of its own */
    FORM_COUNT
};

/* The forms that an operation has besides its base: a column of operations.def. */
enum { NO_FORMS = 0, COLLECTIVE = 1, MULTI = 2, THREADS = 4 };

/* Return true if there is that form. On one communicator, collectives of several threads would be in no order. */
static inline bool operation_form_exists(int forms, enum operation_form form)
{
    static const int NEEDED[FORM_COUNT] = {NO_FORMS, COLLECTIVE, COLLECTIVE, MULTI, THREADS, THREADS};
    return (forms & NEEDED[form]) == NEEDED[form] && (form != FORM_THREADS || (forms & COLLECTIVE) == 0);
}

/* Write the name of the form of an operation into `name`, which has `room` bytes. */
static inline void operation_form_name(char *name, size_t room, const char *base, enum operation_form form)
{
    static const char *const BEFORE[FORM_COUNT] = {"", "i", "", "multi-", "threads-", "threads-comms-"};
    snprintf(name, room, "%s%s%s", BEFORE[form], base, form == FORM_PERSISTENT ? "_init" : "");
}

#endif
