/* SPDX-License-Identifier: BSD-3-Clause */
/* weather.c: readings on all processes (see weather.h). */
#include "weather/weather.h"

#include "instruments/moment.h"
#include "instruments/processor.h"
#include "machine/team_agree.h"
#include "machine/team_talk.h"
#include "statistics/median.h"
#include "weather/pairs.h"

#include <math.h>
#include <time.h>

enum {
    WEATHER_SURELY = 5,
    WEATHER_NAP_NS = 2000000,
    WEATHER_PATIENCE_NS = 100000, /* with the other process of a pair */
    /* Together these are 0.9 % of the time: on one host often and seldom, on several all three. */
    WEATHER_OFTEN_SHARE = 125,
    WEATHER_OFTEN_SHARE_BETWEEN = 250,
    WEATHER_BETWEEN_SHARE = 250,
    WEATHER_SELDOM_SHARE = 1000,
    WEATHER_SELDOM_PAUSE_NS = 20000000, /* the kernel counts steal in hundredths of a second */
    WEATHER_BETWEEN_PAUSE_NS = 10000000,
};

/* What a counter has gone up since it was read last. */
static double weather_since(struct weather *weather, enum reading_kind kind, double now)
{
    const double before = weather->counted[kind];
    weather->counted[kind] = now;
    return now - before;
}

static int weather_look(struct weather *weather, const struct team *team, int64_t parts, struct reading *own,
                        struct fault *fault)
{
    for (int kind = 0; kind < READING_KINDS; kind++)
        own->value[kind] = NAN;
    weather->number++;
    if (parts & WEATHER_OFTEN) {
        own->value[READING_CACHE_LINE] = cache_line_read(&weather->line, weather->number, WEATHER_PATIENCE_NS);
        if (weather->test.given)
            own->value[READING_CACHE_LINE] = regime_line(&weather->test, weather->number);
        own->value[READING_COMPUTE] = processor_compute();
    }
    if (parts & WEATHER_SELDOM) {
        own->value[READING_SWITCHES] = weather_since(weather, READING_SWITCHES, counters_switches());
        own->value[READING_WAITED] = weather_since(weather, READING_WAITED, counters_waited_ns(&weather->counters));
        own->value[READING_COPY] = processor_copy(weather->copies);
        own->value[READING_STEAL] = weather_since(weather, READING_STEAL, counters_steal_ns(&weather->counters));
        own->value[READING_FREQUENCY] = counters_frequency_mhz(&weather->counters);
    }
    if (!(parts & WEATHER_NETWORK))
        return 0;
    const bool blocked = regime_blocks(&weather->test, weather->number);
    return network_read(&weather->network, team, weather->number, blocked, &own->value[READING_NETWORK], fault);
}

/* The worst of all processes that have a number. */
static int weather_combine(const struct team *team, struct reading *reading, struct fault *fault)
{
    for (int kind = 0; kind < READING_KINDS; kind++) {
        double *const value = &reading->value[kind];
        *value = isnan(*value) ? -INFINITY : reading_is_rate((enum reading_kind)kind) ? -*value : *value;
    }
    if (team_maximum(team, reading->value, READING_KINDS, MPI_DOUBLE, fault))
        return (int)fault->code;
    for (int kind = 0; kind < READING_KINDS; kind++) {
        double *const value = &reading->value[kind];
        *value = isinf(*value) ? NAN : reading_is_rate((enum reading_kind)kind) ? -*value : *value;
    }
    return 0;
}

static int weather_read_once(struct weather *weather, const struct team *team, int64_t parts, struct reading *reading,
                             struct fault *fault)
{
    const int64_t begin_ns = moment_now();
    if (weather_look(weather, team, parts, reading, fault) || weather_combine(team, reading, fault))
        return (int)fault->code;
    const int64_t end_ns = moment_now();
    if (parts & WEATHER_OFTEN)
        pace_note(&weather->often, begin_ns, end_ns);
    if (parts & WEATHER_SELDOM)
        pace_note(&weather->seldom, begin_ns, end_ns);
    if (parts & WEATHER_NETWORK)
        pace_note(&weather->between, begin_ns, end_ns);
    weather->took_ns = end_ns - begin_ns;
    return 0;
}

/* Of each kind the median of those that are known, NaN of none. */
static void weather_medians(const struct reading *readings, size_t count, struct reading *medians)
{
    double values[WEATHER_REFERENCES];
    for (int kind = 0; kind < READING_KINDS; kind++) {
        size_t known = 0;
        for (size_t i = 0; i < count; i++)
            if (!isnan(readings[i].value[kind]))
                values[known++] = readings[i].value[kind];
        medians->value[kind] = statistics_median(values, known);
    }
}

int weather_read(struct weather *weather, const struct team *team, int64_t parts, struct reading *reading,
                 struct fault *fault)
{
    const struct timespec nap = {.tv_nsec = WEATHER_NAP_NS};
    struct reading readings[WEATHER_SURELY];
    if (parts & WEATHER_NAP)
        nanosleep(&nap, NULL);
    if (!(parts & WEATHER_SURE))
        return weather_read_once(weather, team, parts, reading, fault);
    const int64_t begin_ns = moment_now();
    for (int i = 0; i < WEATHER_SURELY; i++)
        if (weather_read_once(weather, team, parts, &readings[i], fault))
            return (int)fault->code;
    weather_medians(readings, WEATHER_SURELY, reading);
    weather->took_ns = moment_now() - begin_ns;
    return 0;
}

int64_t weather_due(const struct weather *weather)
{
    /* One part at a time, so that each has a pace of its own. */
    const int64_t now_ns = moment_now();
    if (pace_is_due(&weather->seldom, now_ns))
        return WEATHER_SELDOM;
    if (weather->network.way != NETWORK_NONE && pace_is_due(&weather->between, now_ns))
        return WEATHER_NETWORK;
    return pace_is_due(&weather->often, now_ns) ? WEATHER_OFTEN : 0;
}

int64_t weather_time(const struct weather *weather)
{
    return moment_now() - weather->origin_ns;
}

/* All parts, the network by itself: what it takes says nothing about the pace of the others. */
static int weather_read_all(struct weather *weather, const struct team *team, struct reading *reading,
                            struct fault *fault)
{
    struct reading between;
    if (weather_read(weather, team, WEATHER_OFTEN | WEATHER_SELDOM, reading, fault) ||
        weather->network.way == NETWORK_NONE)
        return (int)fault->code;
    if (weather_read(weather, team, WEATHER_NETWORK, &between, fault))
        return (int)fault->code;
    reading->value[READING_NETWORK] = between.value[READING_NETWORK];
    return 0;
}

/* The first reading tells the counters where to begin. */
static int weather_refer(struct weather *weather, const struct team *team, struct fault *fault)
{
    struct reading readings[WEATHER_REFERENCES];
    if (weather_read_all(weather, team, &weather->reference, fault))
        return (int)fault->code;
    for (int i = 0; i < WEATHER_REFERENCES; i++) {
        if (weather_read_all(weather, team, &readings[i], fault))
            return (int)fault->code;
        weather->first_lines[i] = readings[i].value[READING_CACHE_LINE];
    }
    weather_medians(readings, WEATHER_REFERENCES, &weather->reference);
    weather->reference.value[READING_STEAL] = NAN;
    return 0;
}

int weather_open(struct weather *weather, const char *test, const struct team *team,
                 const struct environment *environment, struct fault *fault)
{
    const bool one_host = environment->hosts < 2;
    *weather = (struct weather){
        .network = network_none(),
        .copies = processor_open_copies(),
        .often = {.times = one_host ? WEATHER_OFTEN_SHARE : WEATHER_OFTEN_SHARE_BETWEEN},
        .between = {.times = WEATHER_BETWEEN_SHARE, .least_ns = WEATHER_BETWEEN_PAUSE_NS},
        .seldom = {.times = WEATHER_SELDOM_SHARE, .least_ns = WEATHER_SELDOM_PAUSE_NS},
    };
    counters_open(&weather->counters);
    if (regime_parse(test, &weather->test, fault) ||
        pairs_join(team, environment, &weather->line, &weather->pairs, fault) ||
        network_open(&weather->network, team, environment, regime_blocks(&weather->test, 0), fault) ||
        weather_refer(weather, team, fault))
        return (int)fault->code;
    weather->origin_ns = moment_now();
    return 0;
}

int weather_end(struct weather *weather, const struct team *team, struct fault *fault)
{
    return network_end(&weather->network, team, fault);
}

void weather_close(struct weather *weather)
{
    cache_line_close(&weather->line);
    network_close(&weather->network);
    processor_close_copies(weather->copies);
    counters_close(&weather->counters);
}
