/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * segment.h: the shared memory by which the residents of one node take turns: a file /dev/shm/isochron-turns-NAME.
 *
 * The first that comes creates it. It has the number of the current turn and the state of each resident. Every process
 * of resident I holds a shared lock on byte I of the file, by its own open file description, so that the kernel
 * releases it when the process ends, however it ends: without a holder of that lock the resident is dead, and no
 * process number is needed. A lock on one more byte, the gate, is held while the file is created or removed.
 */
#ifndef ISOCHRON_SEGMENT_H
#define ISOCHRON_SEGMENT_H

#include "base/fault.h"
#include "turns/turn_order.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum { SEGMENT_NAME_LIMIT = 100 }; /* characters of NAME */

enum segment_state {
    SEGMENT_ABSENT,     /* not joined yet */
    SEGMENT_JOINED,     /* waits for its turn, or has it */
    SEGMENT_LEFT,       /* had all its turns */
    SEGMENT_FAILED,     /* lost, here and below: it ended with an error */
    SEGMENT_DIED,       /* all its processes ended without a word */
    SEGMENT_TOO_LONG,   /* one of its turns took longer than the limit */
    SEGMENT_NOT_JOINED, /* it had not joined in its prologue turn, nor within the limit of one since the first came */
    SEGMENT_STATES
};

/* Names of the states as in records. */
extern const char *const SEGMENT_STATE_NAMES[];

struct segment_resident {
    _Alignas(64) _Atomic uint32_t state;
    _Atomic uint32_t identity; /* of its launch; 0: not joined yet */
    _Atomic uint32_t told;     /* a process has printed why it ended */
};

struct segment_memory {
    uint64_t magic;
    struct turn_plan plan;
    int64_t limit_ns;                   /* of the time of a turn */
    int64_t created_ns;                 /* CLOCK_MONOTONIC */
    _Alignas(64) _Atomic uint32_t turn; /* the current one; a futex */
    _Atomic int64_t raised_ns;          /* CLOCK_MONOTONIC when it, or its limit, began */
    struct segment_resident residents[TURN_MAX_RESIDENTS];
};

/* What was agreed on is also here: the shared memory may be changed by another program. */
struct segment {
    int descriptor; /* -1: not open */
    struct turn_plan plan;
    int64_t limit_ns, created_ns;
    char path[SEGMENT_NAME_LIMIT + 32];
    struct segment_memory *memory;
};

/* A prologue or epilogue turn may take as many times the limit: it includes MPI_Init, or writing the file. */
enum { SEGMENT_EDGE_LIMITS = 6 };

/*
 * Open or create the segment and hold the lock of that resident. First, segments of this user that nobody uses any
 * more are removed, with a line on standard error. An environment fault if the segment has another plan, belongs to
 * another user, may be written to by others, or cannot be created.
 */
int segment_open(struct segment *segment, const char *name, int resident, const struct turn_plan *plan,
                 int64_t limit_ns, struct fault *fault);

/* Return true if a process of the resident lives. Locks of this process do not count. */
bool segment_is_held(const struct segment *segment, int resident);

/*
 * Return true if the segment still has the length, plan and limit that it was opened with, and a turn, times and states
 * that our processes can have written.
 */
bool segment_is_sound(const struct segment *segment);

/* Return the state; what is none counts as SEGMENT_FAILED. */
enum segment_state segment_state(const struct segment *segment, int resident);

/* Return true if the resident will have no more turns. */
bool segment_is_gone(enum segment_state state);

/* Return true if it is gone without having had all its turns. */
bool segment_is_lost(enum segment_state state);

/* Set the state of a resident unless it is gone already. */
void segment_mark(const struct segment *segment, int resident, enum segment_state state);

/* End the current turn if it is that one: the next turn of a resident that is not gone begins, and it is woken. */
void segment_advance(const struct segment *segment, uint32_t turn);

/* Begin the limit of the current turn again. */
void segment_restart_limit(const struct segment *segment);

/* Mark the holder of that turn, if it is the current one, as lost if it is dead or takes too long, and go on. */
void segment_supervise(const struct segment *segment, uint32_t turn);

/* Sleep until woken for a turn of that resident, or for at most timeout_ns; true: time is over. turn is the current. */
bool segment_sleep(const struct segment *segment, uint32_t turn, int resident, int64_t timeout_ns);

/* Release the lock, and remove the file if no other process holds one. Without effect if it is not open. */
void segment_close(struct segment *segment);

/* Return the time of CLOCK_MONOTONIC or CLOCK_PROCESS_CPUTIME_ID. */
int64_t segment_now(int clock);

#endif
