/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * probes.h: readings of the machine between batches, without the MPI library under test.
 *
 * On a shared machine the time of an operation changes in steps: each level, a regime, lasts seconds to minutes. The
 * probes show these regimes: a cache line that two processes of a host pass back and forth, a datagram between two
 * hosts, a copy, a computation, and the kernel's counters. Rank 0 decides when a reading is due; all readings take less
 * than a hundredth of the time. A reading is the worst value of all processes.
 *
 * Processes of a host are paired in the order of their ranks; one that is left over has no cache line.
 */
#ifndef ISOCHRON_PROBES_H
#define ISOCHRON_PROBES_H

#include "base/fault.h"
#include "instruments/cache_line.h"
#include "instruments/counters.h"
#include "instruments/moment.h"
#include "machine/environment.h"
#include "machine/team.h"
#include "probes/network.h"

#include <stdbool.h>
#include <stdint.h>

enum reading_kind {
    READING_CACHE_LINE, /* ns of a cache line from one process of a host to another and back */
    READING_COMPUTE,    /* ns of a computation with a known number of cycles */
    READING_COPY,       /* GB/s from memory to memory, bypassing the caches */
    READING_SWITCHES,   /* involuntary context switches since the previous reading of this kind */
    READING_WAITED,     /* ns since then for which a process was runnable but not running */
    READING_STEAL,      /* ns since then that the hypervisor took from the host */
    READING_FREQUENCY,  /* MHz of the processor, as reported by the kernel */
    READING_NETWORK,    /* us from one host to another and back */
    READING_KINDS
};

/* A value of each kind, the worst of all processes; NaN: none. */
struct reading {
    double value[READING_KINDS];
};

/* The names of the kinds, with units. */
extern const char *const READING_NAMES[];

/*
 * The parts of a reading, as bits. Frequent parts leave the caches intact; copies and counters displace data and code,
 * so that the next repetition is longer, and are read rarely. The network takes longer than all others.
 */
enum probe_part {
    PROBE_OFTEN = 1,
    PROBE_SELDOM = 2,
    PROBE_REPEATED = 4, /* with PROBE_OFTEN: the median of 5 consecutive readings, of each kind */
    PROBE_NAP = 8,      /* all processes sleep for 2 ms first */
    PROBE_NETWORK = 16  /* between hosts */
};

enum { PROBES_REFERENCES = 15 };

/*
 * Synthetic readings, for tests: the hidden option --test-probes.
 *
 * regime:FIRST:COUNT:FACTOR: a cache line takes 100 ns in every reading, and FACTOR times that in COUNT readings from
 * number FIRST on; the first reading of a launch has number 1, and 16 precede the first measurement, on several
 * hosts 32. blocked:FIRST: from reading FIRST on no datagram passes between hosts; 0: never.
 */
struct test_probes {
    bool has_regime;
    bool blocked;
    int64_t first, count;
    double factor;
};

struct probes {
    struct cache_line line;
    struct network network;
    void *copies;
    struct counters counters;
    double counted[READING_KINDS]; /* counters at the previous reading */
    uint64_t number;               /* of readings */

    int64_t pairs; /* of processes that share a cache line */
    int64_t origin_ns;
    struct pace often, seldom, network_pace; /* used on rank 0 */
    int64_t took_ns;                         /* duration of the last reading */
    struct reading reference;                /* medians of the readings at the start */
    double first_lines[PROBES_REFERENCES];   /* the cache line in each of those */
    struct test_probes test;                 /* replaces readings of the machine */
};

/* Collective: pair the processes and take the first readings; test is the value of --test-probes, or NULL. To be
 * closed in any case. */
int probes_open(struct probes *probes, const char *test, const struct team *team, const struct environment *environment,
                struct fault *fault);

/* Collective, after the last reading: count what was abandoned. */
int probes_end(struct probes *probes, const struct team *team, struct fault *fault);

void probes_close(struct probes *probes);

/* Rank 0: return the parts that are due now, bits of enum probe_part. */
int64_t probes_due(const struct probes *probes);

/* Return the ns since the end of probes_open, on this process. */
int64_t probes_time(const struct probes *probes);

/* Collective: read these parts; all processes have the reading, and have met. */
int probes_read(struct probes *probes, const struct team *team, int64_t parts, struct reading *reading,
                struct fault *fault);

#endif
