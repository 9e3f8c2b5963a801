/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * weather.h: the machine's weather, read between batches without the MPI library that is measured.
 *
 * A machine has regimes: the same operation takes one time for seconds to minutes and then another. What is read here
 * shows them: a cache line that two processes of a host pass back and forth, a datagram between two hosts, a copy, a
 * computation, and what the kernel counts. Rank 0 decides when it is time; readings take less than a hundredth of the
 * time.
 *
 * Processes of a host make pairs, in the order of their ranks; one that is left over has no cache line.
 */
#ifndef ISOCHRON_WEATHER_H
#define ISOCHRON_WEATHER_H

#include "instruments/cache_line.h"
#include "instruments/counters.h"
#include "instruments/pace.h"
#include "machine/environment.h"
#include "machine/team.h"
#include "weather/network.h"
#include "weather/reading.h"
#include "weather/regime.h"

#include <stdint.h>

/*
 * What is read at a time: bits. Often is what leaves the caches alone. Copies and the kernel, which take the place of
 * other data and code there so that the next run is longer, are read seldom. The network takes longer than all else.
 */
enum weather_part {
    WEATHER_OFTEN = 1,
    WEATHER_SELDOM = 2,
    WEATHER_SURE = 4,    /* with often: of a few readings in a row the median, of each kind */
    WEATHER_NAP = 8,     /* all processes sleep for a moment before */
    WEATHER_NETWORK = 16 /* between hosts */
};

enum { WEATHER_REFERENCES = 15 };

struct weather {
    struct cache_line line;
    struct network network;
    void *copies;
    struct counters counters;
    double counted[READING_KINDS]; /* at the reading before */
    uint64_t number;               /* of readings */

    int64_t pairs; /* of processes that share a cache line */
    int64_t origin_ns;
    struct pace often, seldom, between;     /* these matter on rank 0; between hosts */
    int64_t took_ns;                        /* the last reading */
    struct reading reference;               /* medians of some readings at the start */
    double first_lines[WEATHER_REFERENCES]; /* the cache line in each of them */
    struct regime test;                     /* in place of what the machine really does */
};

/* Collective: finds the pairs, and reads the weather for the first time; test is of regime.h. To be closed in any case.
 */
int weather_open(struct weather *weather, const char *test, const struct team *team,
                 const struct environment *environment, struct fault *fault);

/* Collective, when all is measured: what became of the readings. */
int weather_end(struct weather *weather, const struct team *team, struct fault *fault);

void weather_close(struct weather *weather);

/* Rank 0: what is to be read now, bits of enum weather_part. */
int64_t weather_due(const struct weather *weather);

/* Time since the end of weather_open, on this process. */
int64_t weather_time(const struct weather *weather);

/* Collective: reads these parts; all processes have the reading, and have met. */
int weather_read(struct weather *weather, const struct team *team, int64_t parts, struct reading *reading,
                 struct fault *fault);

#endif
