/* SPDX-License-Identifier: BSD-3-Clause */
/* probes.c: readings on all processes (see probes.h). */
#include "probes/probes.h"

#include "instruments/moment.h"
#include "instruments/processor.h"
#include "machine/team.h"
#include "option_values/grammar.h"
#include "statistics/statistics.h"

#include <math.h>
#include <time.h>

const char *const READING_NAMES[] = {
    [READING_CACHE_LINE] = "cache_line_ns", [READING_COMPUTE] = "compute_ns", [READING_COPY] = "copy_gbs",
    [READING_SWITCHES] = "switches",        [READING_WAITED] = "waited_ns",   [READING_STEAL] = "steal_ns",
    [READING_FREQUENCY] = "frequency_mhz",  [READING_NETWORK] = "network_us",
};

/* Return true if the worst value is the lowest. */
static bool reading_is_rate(enum reading_kind kind)
{
    return kind == READING_COPY || kind == READING_FREQUENCY;
}

static const double TEST_PROBES_QUIET_NS = 100.0;

static const struct grammar_form TEST_PROBES_FORMS[] = {
    {.name = "regime",
     .kind = GRAMMAR_TUPLE,
     .numbers = {{"FIRST", true, 1, 1e15}, {"COUNT", true, 0, 1e15}, {"FACTOR", false, 1e-3, 1e3}}},
    {.name = "blocked", .kind = GRAMMAR_TUPLE, .numbers = {{"FIRST", true, 0, 1e15}}},
    {.name = NULL},
};

static int test_probes_parse(const char *text, struct test_probes *test_probes, struct fault *fault)
{
    struct grammar_value value;
    *test_probes = (struct test_probes){.has_regime = false};
    if (text == NULL)
        return 0;
    if (!grammar_read(TEST_PROBES_FORMS, text, &value))
        return fault_set(fault, FAULT_USAGE, "--test-probes '%.100s': give regime:FIRST:COUNT:FACTOR or blocked:FIRST",
                         text);
    test_probes->has_regime = value.form == &TEST_PROBES_FORMS[0];
    test_probes->blocked = !test_probes->has_regime;
    test_probes->first = value.integers[0];
    test_probes->count = value.integers[1];
    test_probes->factor = value.reals[2];
    return 0;
}

/* Return true if datagrams do not pass in the reading of that number; 0: before the first. */
static bool test_probes_block(const struct test_probes *test_probes, uint64_t number)
{
    return test_probes->blocked && (int64_t)number >= test_probes->first;
}

/* Return the synthetic cache line of the reading of that number, in ns. */
static double test_probes_line(const struct test_probes *test_probes, uint64_t number)
{
    const int64_t since = (int64_t)number - test_probes->first;
    return since >= 0 && since < test_probes->count ? test_probes->factor * TEST_PROBES_QUIET_NS : TEST_PROBES_QUIET_NS;
}

enum { PROBES_TAG = 105 };

static int probes_create_line(const struct environment *environment, int other, struct cache_line *line,
                              struct fault *fault)
{
    char name[CACHE_LINE_NAME];
    int joined = 0;
    cache_line_create(line, name);
    const int sent = MPI_Send(name, CACHE_LINE_NAME, MPI_CHAR, other, PROBES_TAG, environment->host);
    if (team_mpi(fault, sent, "MPI_Send") == 0)
        team_mpi(fault, MPI_Recv(&joined, 1, MPI_INT, other, PROBES_TAG, environment->host, MPI_STATUS_IGNORE),
                 "MPI_Recv");
    cache_line_unname(name);
    if (!joined)
        cache_line_close(line);
    return (int)fault->code;
}

static int probes_join_line(const struct environment *environment, int other, struct cache_line *line,
                            struct fault *fault)
{
    char name[CACHE_LINE_NAME];
    if (team_mpi(fault,
                 MPI_Recv(name, CACHE_LINE_NAME, MPI_CHAR, other, PROBES_TAG, environment->host, MPI_STATUS_IGNORE),
                 "MPI_Recv"))
        return (int)fault->code;
    cache_line_join(line, name);
    const int joined = line->value != NULL;
    return team_mpi(fault, MPI_Send(&joined, 1, MPI_INT, other, PROBES_TAG, environment->host), "MPI_Send");
}

/* Collective: pair the processes of each host; line is empty on one without a partner; *pairs is their number. */
static int probes_join_pairs(const struct team *team, const struct environment *environment, struct cache_line *line,
                             int64_t *pairs, struct fault *fault)
{
    int rank = 0, size = 0;
    MPI_Comm_rank(environment->host, &rank);
    MPI_Comm_size(environment->host, &size);
    const int other = rank ^ 1;
    *line = (struct cache_line){0};
    if (other < size && (rank < other ? probes_create_line(environment, other, line, fault)
                                      : probes_join_line(environment, other, line, fault)))
        return (int)fault->code;
    *pairs = line->value != NULL && line->first;
    return team_sum(team, pairs, 1, fault);
}

enum {
    PROBES_REPEATS = 5,
    PROBES_NAP_NS = 2000000,
    PROBES_PATIENCE_NS = 100000, /* of a cache-line reading */
    /* Pauses as multiples of a reading: 0.9 % of the time in total, on one host (often, seldom) and on several. */
    PROBES_OFTEN_PAUSE = 125,
    PROBES_OFTEN_PAUSE_BETWEEN = 250,
    PROBES_NETWORK_PAUSE = 250,
    PROBES_SELDOM_PAUSE = 1000,
    PROBES_SELDOM_PAUSE_NS = 20000000, /* the kernel's resolution of steal is 10 ms */
    PROBES_NETWORK_PAUSE_NS = 10000000,
};

/* Return the increase of a counter since the previous reading. */
static double probes_increase(struct probes *probes, enum reading_kind kind, double now)
{
    const double before = probes->counted[kind];
    probes->counted[kind] = now;
    return now - before;
}

static int probes_take(struct probes *probes, const struct team *team, int64_t parts, struct reading *reading,
                       struct fault *fault)
{
    for (int kind = 0; kind < READING_KINDS; kind++)
        reading->value[kind] = NAN;
    probes->number++;
    if (parts & PROBE_OFTEN) {
        reading->value[READING_CACHE_LINE] = cache_line_read(&probes->line, probes->number, PROBES_PATIENCE_NS);
        if (probes->test.has_regime)
            reading->value[READING_CACHE_LINE] = test_probes_line(&probes->test, probes->number);
        reading->value[READING_COMPUTE] = processor_compute();
    }
    if (parts & PROBE_SELDOM) {
        reading->value[READING_SWITCHES] = probes_increase(probes, READING_SWITCHES, counters_switches());
        reading->value[READING_WAITED] = probes_increase(probes, READING_WAITED, counters_waited_ns(&probes->counters));
        reading->value[READING_COPY] = processor_copy(probes->copies);
        reading->value[READING_STEAL] = probes_increase(probes, READING_STEAL, counters_steal_ns(&probes->counters));
        reading->value[READING_FREQUENCY] = counters_frequency_mhz(&probes->counters);
    }
    if (!(parts & PROBE_NETWORK))
        return 0;
    const bool blocked = test_probes_block(&probes->test, probes->number);
    return network_read(&probes->network, team, probes->number, blocked, &reading->value[READING_NETWORK], fault);
}

/* Combine the readings of all processes: the worst of those with a value. */
static int probes_combine(const struct team *team, struct reading *reading, struct fault *fault)
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

static int probes_read_once(struct probes *probes, const struct team *team, int64_t parts, struct reading *reading,
                            struct fault *fault)
{
    const int64_t begin_ns = moment_now();
    if (probes_take(probes, team, parts, reading, fault) || probes_combine(team, reading, fault))
        return (int)fault->code;
    const int64_t end_ns = moment_now();
    if (parts & PROBE_OFTEN)
        pace_note(&probes->often, begin_ns, end_ns);
    if (parts & PROBE_SELDOM)
        pace_note(&probes->seldom, begin_ns, end_ns);
    if (parts & PROBE_NETWORK)
        pace_note(&probes->network_pace, begin_ns, end_ns);
    probes->took_ns = end_ns - begin_ns;
    return 0;
}

/* Of each kind the median over the readings with a value; NaN without any. */
static void probes_medians(const struct reading *readings, size_t count, struct reading *medians)
{
    double values[PROBES_REFERENCES];
    for (int kind = 0; kind < READING_KINDS; kind++) {
        size_t used = 0;
        for (size_t i = 0; i < count; i++)
            if (!isnan(readings[i].value[kind]))
                values[used++] = readings[i].value[kind];
        medians->value[kind] = statistics_median(values, used);
    }
}

int probes_read(struct probes *probes, const struct team *team, int64_t parts, struct reading *reading,
                struct fault *fault)
{
    const struct timespec nap = {.tv_nsec = PROBES_NAP_NS};
    struct reading readings[PROBES_REPEATS];
    if (parts & PROBE_NAP)
        nanosleep(&nap, NULL);
    if (!(parts & PROBE_REPEATED))
        return probes_read_once(probes, team, parts, reading, fault);
    const int64_t begin_ns = moment_now();
    for (int i = 0; i < PROBES_REPEATS; i++)
        if (probes_read_once(probes, team, parts, &readings[i], fault))
            return (int)fault->code;
    probes_medians(readings, PROBES_REPEATS, reading);
    probes->took_ns = moment_now() - begin_ns;
    return 0;
}

int64_t probes_due(const struct probes *probes)
{
    /* One part at a time, so that each has its pace. */
    const int64_t now_ns = moment_now();
    if (pace_is_due(&probes->seldom, now_ns))
        return PROBE_SELDOM;
    if (probes->network.method != NETWORK_NONE && pace_is_due(&probes->network_pace, now_ns))
        return PROBE_NETWORK;
    return pace_is_due(&probes->often, now_ns) ? PROBE_OFTEN : 0;
}

int64_t probes_time(const struct probes *probes)
{
    return moment_now() - probes->origin_ns;
}

/* Read all parts, the network separately: its duration must not affect the pace of the others. */
static int probes_read_all(struct probes *probes, const struct team *team, struct reading *reading, struct fault *fault)
{
    struct reading network_pace;
    if (probes_read(probes, team, PROBE_OFTEN | PROBE_SELDOM, reading, fault) || probes->network.method == NETWORK_NONE)
        return (int)fault->code;
    if (probes_read(probes, team, PROBE_NETWORK, &network_pace, fault))
        return (int)fault->code;
    reading->value[READING_NETWORK] = network_pace.value[READING_NETWORK];
    return 0;
}

/* Take the reference; a first reading initialises the counters. */
static int probes_take_reference(struct probes *probes, const struct team *team, struct fault *fault)
{
    struct reading readings[PROBES_REFERENCES];
    if (probes_read_all(probes, team, &probes->reference, fault))
        return (int)fault->code;
    for (int i = 0; i < PROBES_REFERENCES; i++) {
        if (probes_read_all(probes, team, &readings[i], fault))
            return (int)fault->code;
        probes->first_lines[i] = readings[i].value[READING_CACHE_LINE];
    }
    probes_medians(readings, PROBES_REFERENCES, &probes->reference);
    probes->reference.value[READING_STEAL] = NAN;
    return 0;
}

int probes_open(struct probes *probes, const char *test, const struct team *team, const struct environment *environment,
                struct fault *fault)
{
    const bool one_host = environment->hosts < 2;
    *probes = (struct probes){
        .network = network_none(),
        .copies = processor_open_copies(),
        .often = {.pause_factor = one_host ? PROBES_OFTEN_PAUSE : PROBES_OFTEN_PAUSE_BETWEEN},
        .network_pace = {.pause_factor = PROBES_NETWORK_PAUSE, .min_pause_ns = PROBES_NETWORK_PAUSE_NS},
        .seldom = {.pause_factor = PROBES_SELDOM_PAUSE, .min_pause_ns = PROBES_SELDOM_PAUSE_NS},
    };
    counters_open(&probes->counters);
    if (test_probes_parse(test, &probes->test, fault) ||
        probes_join_pairs(team, environment, &probes->line, &probes->pairs, fault) ||
        network_open(&probes->network, team, environment, test_probes_block(&probes->test, 0), fault) ||
        probes_take_reference(probes, team, fault))
        return (int)fault->code;
    probes->origin_ns = moment_now();
    return 0;
}

int probes_end(struct probes *probes, const struct team *team, struct fault *fault)
{
    return network_end(&probes->network, team, fault);
}

void probes_close(struct probes *probes)
{
    cache_line_close(&probes->line);
    network_close(&probes->network);
    processor_close_copies(probes->copies);
    counters_close(&probes->counters);
}
