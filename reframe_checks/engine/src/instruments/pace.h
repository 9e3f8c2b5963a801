/* SPDX-License-Identifier: BSD-3-Clause */
/* pace.h: when it is time to read again, so that all readings together take no more than a share of the time. */
#ifndef ISOCHRON_PACE_H
#define ISOCHRON_PACE_H

#include <stdbool.h>
#include <stdint.h>

struct pace {
    int64_t times;    /* the pause between readings is at least so many times what the last one took, */
    int64_t least_ns; /* and at least this */
    int64_t ended_ns; /* the last one */
    int64_t took_ns;
};

bool pace_is_due(const struct pace *pace, int64_t now_ns);

/* Takes note of a reading. */
void pace_note(struct pace *pace, int64_t begin_ns, int64_t end_ns);

#endif
