/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * profile.h: what this process has called, in a file that is mapped into memory: killed at any moment, the process
 * leaves all that it has counted so far. Any number of threads may count at the same time; no call is lost.
 *
 * isochron/schemas/profile/rank_file.py reads the file. What is described here is version 1 of the format; all numbers
 * have the byte order of the machine.
 */
#ifndef PROFILE_PROFILE_H
#define PROFILE_PROFILE_H

#include <stdatomic.h>
#include <stdint.h>

#include "clock.h"
#include "operations.h"

#pragma GCC visibility push(hidden)

enum {
    PROFILE_VERSION = 1,
    PROFILE_SLOTS = 4096, /* a power of two */
    PROFILE_NAMES = 128,
    PROFILE_NAME_BYTES = 24,
    PROFILE_TEXT_BYTES = 256,
    PROFILE_HEADER_BYTES = 8192
};

/* What is known when the file begins. */
struct profile_facts {
    uint32_t version, header_bytes, slots, slot_bytes, operations;
    int32_t rank, processes, threads; /* threads: the level that MPI provides, 0 (single) to 3 (multiple) */
    uint64_t pid, wall_ns;            /* wall_ns: the time of day at the start of MPI_Init */
    uint64_t begin_ticks, begin_ns, ready_ticks, ready_ns; /* at the start and the end of MPI_Init */
    char host[PROFILE_TEXT_BYTES], program[PROFILE_TEXT_BYTES], library[PROFILE_TEXT_BYTES];
    char names[PROFILE_NAMES][PROFILE_NAME_BYTES];
};

/* What the end of MPI_Finalize adds; all 0 in the file of a process that did not come so far. */
struct profile_end {
    uint64_t ticks, ns;
    uint32_t table_crc, finished;
};

struct profile_header {
    char magic[8]; /* written when all of the facts stand */
    uint32_t facts_crc, unused;
    struct profile_facts facts;
    struct profile_end end;
};

/*
 * A class of calls. `key`, from the high bits down: operation 8, bin 1, element 3, processes 20, size 32.
 * With bin 0 `size` is in bytes; with bin 1 it is b where the sizes are from 2^b to 2^(b+1) - 1, PROFILE_ANY where they
 * may be anything. `element`: of the data type 1, 2, 4, 8, 16 bytes as 1 to 5, another size 6; 0 where there is none.
 * `processes`: of the communicator; 0 where there is none, it has two groups, or the partner is MPI_PROC_NULL; 1 where
 * a process sends to itself.
 * `speed`: the complement of the ticks of the fastest call.
 */
struct profile_slot {
    _Atomic uint64_t key, calls, bytes, ticks, speed, unused[3];
};

enum { PROFILE_ANY = 255 };

struct profile_amount {
    uint64_t bytes;
    uint32_t element;
};

struct profile_state {
    struct profile_header *header; /* NULL: nothing is counted */
    struct profile_slot *slots;
    int invariant;
};

extern struct profile_state profile;

/* Whether this thread is within a call that is counted: an MPI library may use its own calls. */
extern _Thread_local int profile_inside __attribute__((tls_model("initial-exec")));

static inline uint64_t profile_now(void)
{
    return clock_ticks(profile.invariant);
}

void profile_add(enum profile_operation operation, struct profile_amount amount, int processes, uint64_t ticks);

/* The constant part of the file: everything about this process (`facts`: times, rank, processes, threads, library). */
void profile_open(const struct profile_facts *facts);
void profile_close(void);

#pragma GCC visibility pop

#endif
