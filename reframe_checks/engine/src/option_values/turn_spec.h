/* SPDX-License-Identifier: BSD-3-Clause */
/* turn_spec.h: the values of --turns and --turn: the name of a shared segment, and one of N residents. */
#ifndef ISOCHRON_TURN_SPEC_H
#define ISOCHRON_TURN_SPEC_H

#include "base/fault.h"

/* The limits of N; a segment has room for so many (turns/turn_order.h). */
enum { TURN_SPEC_MIN = 2, TURN_SPEC_MAX = 32 };

struct turn_spec {
    int index; /* from 0 */
    int residents;
};

/* Parse "I/N". */
int turn_spec_parse(const char *text, struct turn_spec *spec, struct fault *fault);

/* Check the name of a segment: it becomes a part of a file name. */
int turn_spec_check_name(const char *name, struct fault *fault);

#endif
