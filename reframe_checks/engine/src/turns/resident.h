/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * resident.h: a process of a resident: it joins, waits for its turns asleep, hands over, and leaves. Needs no MPI.
 *
 * Order of calls, on every process of the resident: resident_join; for each turn of the resident, in ascending order,
 * resident_await and then resident_hand_over, once all its processes have ended the turn; resident_leave, which ends
 * the epilogue turn. A process that is killed or stopped loses its turn, and the others go on. One whose turn takes
 * longer than the limit is ended by a timer.
 */
#ifndef ISOCHRON_RESIDENT_H
#define ISOCHRON_RESIDENT_H

#include "base/activity.h"
#include "turns/segment.h"

#include <time.h>

struct resident_options {
    const char *name;  /* of the segment */
    int index;         /* of the resident */
    uint32_t identity; /* the same in all processes of a launch, another in every other launch; not 0 */
    int64_t limit_ns;  /* of a turn; a prologue or epilogue turn may take SEGMENT_EDGE_LIMITS times as long */
    struct turn_plan plan;
};

/* Not to be moved or copied once it has joined: a timer points to it. */
struct resident {
    struct resident_options options;
    struct segment segment;
    uint32_t turn; /* the current one, from resident_await on */
    bool has_turn;
    timer_t timer;
    const struct activity *activity; /* told with it; may be NULL */
    char line[256];                  /* begin of what is printed if the limit ends the process */
};

/* What a process knows of one wait; times of CLOCK_MONOTONIC. */
struct resident_wait {
    int64_t began_ns;     /* when this process had the turn */
    int64_t waited_ns;    /* duration of the wait */
    int64_t slept_cpu_ns; /* processor time of this process, all threads, during it */
    int64_t handover_ns;  /* from the end of the previous turn to began_ns */
};

/*
 * Join. A usage fault if the index belongs to another launch; an environment fault if the segment cannot be used; a
 * turn fault if this resident is lost already.
 */
int resident_join(struct resident *resident, const struct resident_options *options, struct fault *fault);

/* Wait for that turn; then a timer limits it. A turn fault if this resident has been marked lost. */
int resident_await(struct resident *resident, uint32_t turn, struct resident_wait *wait, struct fault *fault);

/* Begin the limit of the current turn again, for this process and for those that wait. */
void resident_extend_turn(struct resident *resident);

/*
 * End the turn; one process on each node raises the counter. A turn fault if this resident was marked lost meanwhile.
 */
int resident_hand_over(struct resident *resident, bool raises, struct fault *fault);

/*
 * Wait, in the last epilogue turn, until all processes of the other residents have ended, but not longer than an
 * epilogue turn may take. Return the residents that have not, a bit for each.
 */
uint32_t resident_await_alone(struct resident *resident);

/*
 * Leave with SEGMENT_LEFT, which ends the turn, or with SEGMENT_FAILED before the last turn: then the turn ends when
 * all processes of the resident have ended. Without effect if not joined.
 */
void resident_leave(struct resident *resident, enum segment_state state);

/* Return true for the first process of a lost resident that asks: it alone prints why. */
bool resident_may_tell(const struct resident *resident);

#endif
