/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * measurement_run.c: the one measuring loop, for all operations (M. Kurnosov, MPIPerf, 2012).
 *
 * First call, second call on other buffers, an initialisation batch without slots that is never counted, then
 * batches of scheduled runs until the stop rule of rank 0 has enough. Later passes over the row do the same without
 * these calls.
 */
#include "measure/measurement_run.h"

#include "machine/team_agree.h"
#include "measure/look.h"
#include "measure/overlap.h"
#include "rules/slot.h"
#include "rules/stop.h"
#include "session/session_resolve.h"
#include "statistics/pass_spread.h"

#include <math.h>
#include <stdlib.h>

enum { MEASURE_LEAD = 8 }; /* the longest lead over the calibrated one */

/* Rank 0: learns from the last batch, which took so long, for the next. */
static void measure_adapt(struct measure *m, int64_t took_ns)
{
    const struct slot_outcome outcome = measure_outcome(m);
    patience_note(&m->patience, took_ns, outcome.runs, outcome.runs - outcome.in_time);
    slot_learn(&m->slot_rule, &outcome);
    m->slot_ns = slot_next_width(&m->slot_rule, m->slot_ns, &outcome);
    /*
     * The announcement came too late for someone: the next comes earlier, within limits, and later again while all is
     * well. On a busy machine a process that spins for long is interrupted, so a long lead is no remedy there.
     */
    const int64_t least_ns = m->session->calibration.lead_ns;
    const int64_t wanted_ns = m->batch.summaries[0].late ? 2 * m->lead_ns : m->lead_ns - m->lead_ns / 8;
    const int64_t most_ns = MEASURE_LEAD * least_ns;
    m->lead_ns = wanted_ns < least_ns ? least_ns : wanted_ns > most_ns ? most_ns : wanted_ns;
}

/*
 * Rank 0: half interval over mean; NaN while it is unknown, or not asked for: not before all rows have had their
 * passes, nor of runs where there will be passes enough.
 */
static double measure_relative_error(const struct measure *m, const struct measurement *result, int64_t valid)
{
    const struct session *const session = m->session;
    const bool asked = m->pass.last || m->pass.number >= session->plan.passes - 1;
    if (!session->stop->needs_statistics || !asked || valid < session->options->min_valid)
        return NAN;
    const struct statistics statistics = measurement_statistics(result, session->options);
    const bool awaited = !m->pass.last && session->plan.passes >= PASS_SPREAD_FEWEST;
    return awaited && !statistics.from_passes ? NAN : statistics_relative_error(&statistics);
}

bool measure_lags(const struct measurement *result, const struct stop_limits *share)
{
    return 2 * (int64_t)result->reps_valid < share->min_valid;
}

/*
 * Rank 0: how many runs the next batch has; 0 when the row has enough, or this pass its share: a batch, more of them
 * where most runs are invalid, and of limits that end the row whatever its precision as many as they ask for.
 */
static int64_t measure_next_runs(struct measure *m, struct measurement *result, int64_t begin_ns)
{
    const struct session *const session = m->session;
    const struct stop_rule *const stop = session->stop;
    const struct stop_limits all = session_limits(session);
    const struct stop_limits share = stop_limits_in_pass(&all, m->pass.number, session->plan.passes);
    const size_t valid = measurement_valid(result);
    struct stop_progress progress = {
        /* What does not count is measured again. */
        .runs = (int64_t)(result->runs - (result->reps_valid - valid)),
        .valid = (int64_t)valid,
        .elapsed_s = (double)(clock_now(&session->clock) - begin_ns + m->elapsed_ns) * 1e-9,
        .relative_error = measure_relative_error(m, result, (int64_t)valid),
    };
    result->given_up = session->options->stop != STOP_TIME && patience_is_over(&m->patience);
    m->done = result->given_up || stop->enough(&all, &progress);
    const bool begun = result->pass_reps[result->passes - 1] > 0;
    const bool fair = stop->needs_statistics && !measure_lags(result, &share);
    if (m->done || (!m->pass.last && begun && (fair || stop->enough(&share, &progress))))
        return 0;
    const int64_t left = stop->runs_left(&all, progress.runs), batch = session->options->batch;
    return left < batch && !session->scheme->loops ? left : batch;
}

/*
 * Rank 0, with --probes gate: what is read before anything else is measured: until it is without doubt in which regime
 * the machine is, and while there is hope for quiet. 0: nothing.
 */
static int64_t measure_weather_first(const struct measure *m, struct measurement *result)
{
    struct watch *const watch = m->session->watch;
    if (watch == NULL)
        return 0;
    if (watch->doubt)
        return WEATHER_OFTEN | WEATHER_SURE;
    if (!watch->off || result->regimes.count_all)
        return 0;
    if (watch_wait(watch))
        return WEATHER_OFTEN | WEATHER_SURE | WEATHER_NAP;
    result->regimes.count_all = true;
    return 0;
}

/* Rank 0: how many runs the next batch has, and what is done after it; without runs and without readings it is over. */
static int64_t measure_next(struct measure *m, struct measurement *result, int64_t begin_ns)
{
    const struct session *const session = m->session;
    m->weather_due = measure_weather_first(m, result);
    const int64_t runs = m->weather_due ? 0 : measure_next_runs(m, result, begin_ns);
    m->looks.due = runs > 0 && look_is_due(m);
    if (runs > 0 && session->weather != NULL)
        m->weather_due = weather_due(session->weather);
    else if (m->weather_due == 0 && session->watch != NULL && result->regimes.known < result->runs)
        m->weather_due = WEATHER_OFTEN;
    return runs;
}

/* Reads the weather after a batch, outside all slots. */
static int measure_weather(const struct measure *m, struct measurement *result, struct fault *fault)
{
    struct weather *const weather = m->session->weather;
    struct watch *const watch = m->session->watch;
    struct weather_entry entry = {
        .batch = (int64_t)m->trace.batches - 1, .runs = (int64_t)result->runs, .t_ns = weather_time(weather)};
    if (weather_read(weather, &m->session->team, m->plan.weather, &entry.reading, fault) || m->session->team.rank != 0)
        return (int)fault->code;
    const double before_ns = watch == NULL ? NAN : watch->level_ns;
    if (watch != NULL && watch_note(watch, m->plan.weather, entry.reading.value[READING_CACHE_LINE]))
        measurement_set_level(result, fmax(before_ns, watch->level_ns), watch->gate.limit);
    return weather_log_add(&result->weather, &entry, weather->took_ns, fault);
}

/* One batch that has runs, and what follows from it. */
static int measure_counted_batch(struct measure *m, struct measurement *result, int64_t begin_ns, struct fault *fault)
{
    if (trace_add(&m->trace, &m->batch, &m->plan, m->session->options->per_rank, m->session->scheme->loops, fault))
        return (int)fault->code;
    if (m->session->team.rank == 0) {
        if (measurement_add(result, m->batch.summaries, m->plan.runs, fault))
            return (int)fault->code;
        result->slot_ns = m->plan.slot_ns;
        measure_adapt(m, clock_now(&m->session->clock) - begin_ns);
    }
    return m->plan.look ? look_now(m, fault) : 0;
}

static int measure_counted_runs(struct measure *m, const struct operation *operation, struct measurement *result,
                                struct fault *fault)
{
    const struct session *const session = m->session;
    struct watch *const watch = session->team.rank == 0 ? session->watch : NULL;
    const int64_t begin_ns = clock_now(&session->clock);
    const int64_t extra_ns = watch == NULL ? 0 : watch->extra_ns;
    if (watch != NULL)
        watch_begin(watch);
    do {
        const int64_t batch_ns = clock_now(&session->clock);
        const int64_t runs = session->team.rank == 0 ? measure_next(m, result, begin_ns) : 0;
        if (measure_known_batch(m, operation, runs, m->slot_ns, fault))
            return (int)fault->code;
        if (m->plan.runs > 0 && measure_counted_batch(m, result, batch_ns, fault))
            return (int)fault->code;
        if (m->plan.weather && measure_weather(m, result, fault))
            return (int)fault->code;
    } while (m->plan.runs > 0 || m->plan.weather);
    m->weather_due = 0;
    m->elapsed_ns += clock_now(&session->clock) - begin_ns;
    if (watch != NULL)
        result->regimes.extra_ns += watch->extra_ns - extra_ns;
    return 0;
}

/*
 * One more run on known data, under the schedule, for results that runs before it would spoil: of cold buffers and of
 * operations in place.
 */
static int measure_check(struct measure *m, const struct operation *operation, struct measurement *result,
                         struct fault *fault)
{
    if (!m->session->options->check)
        return 0;
    m->known = true;
    m->operations = 1;
    if (m->session->scheme->rotates)
        m->call.root = 0; /* of the first operation of a loop */
    if (measure_use(m, 0, fault) || measure_known_batch(m, operation, 1, m->slot_ns, fault) ||
        check_agree(&m->session->team, &m->check, fault))
        return (int)fault->code;
    result->check = m->check;
    return 0;
}

static void measure_open(struct measure *m, const struct operation *operation, int64_t bytes, struct fault *fault)
{
    const struct options *const options = m->session->options;
    const struct calibration *const calibration = &m->session->calibration;
    const int64_t runs = options->batch > options->warmup_reps ? options->batch : options->warmup_reps;
    const struct buffers_policy policy = {
        .alignment = (size_t)options->alignment,
        .cache_bytes = options->buffers == BUFFERS_COLD ? m->session->cache_bytes : 0,
        .shared = m->session->simulated && !options->check,
    };
    if (m->pass.number == 0) {
        m->lead_ns = calibration->lead_ns;
        m->slot_rule = (struct slot_rule){
            .growth = options->slot_growth,
            .max_invalid = options->max_invalid,
            .floor_ns = 1000 + 4 * calibration->tolerance_ns + options->arrival.spread_ns,
            .cap_ns = (int64_t)(options->max_slot_us * 1000.0),
        };
    }
    m->known = options->check && policy.cache_bytes == 0 && !m->session->scheme->rotates;
    session_call(m->session, operation, bytes, &m->call);
    m->call.buffered = options->buffered_sends ? 2 * runs : 0; /* what a batch sends, and what is left of the last */
    if (call_open(&m->call, fault) == 0) /* who has no peers waits while others exchange messages */
        m->trace.idle = operation->sends == SHARE_PEERS && m->call.sent.blocks == 0 && m->call.received.blocks == 0;
    if (fault->code == FAULT_NONE && buffers_open(&m->buffers, &m->call, &policy, fault) == 0)
        batch_open(&m->batch, runs, fault);
}

/* What follows the last pass. */
static int measure_end(struct measure *m, const struct operation *operation, struct measurement *result,
                       struct fault *fault)
{
    if (!m->done)
        return 0;
    if (measure_check(m, operation, result, fault) || overlap_measure(m, operation, result, fault))
        return (int)fault->code;
    return trace_gather(&m->session->team, &m->session->environment, &m->trace, &result->trace, fault);
}

/* Messages that arrived before they were sent, in this pass; the worst pass stands for the row. */
static int measure_causality(struct measure *m, struct measurement *result, struct fault *fault)
{
    struct causality causality = {.rank = -1};
    if (look_judge(m, &causality, fault))
        return (int)fault->code;
    if (m->pass.number == 0 || causality.worst_ns > result->causality.worst_ns)
        result->causality = causality;
    return 0;
}

/* One more pass over the row begins; the first one begins the measurement. */
static int measure_begin(const struct session *session, const struct measurement_case *row, struct measure_pass pass,
                         struct measure *m, struct measurement *result, struct fault *fault)
{
    if (pass.number == 0)
        *result = (struct measurement){
            .operation = row->operation,
            .bytes = row->bytes,
            .type_name = session->options->datatype,
            .missing = session_lacks(session, row->operation),
            .causality = {.rank = -1},
            .operations_per_rep =
                session->scheme->loops ? session->options->batch : session->options->operations_per_rep,
            .first_epoch = session->epoch_count - 1,
        };
    result->epoch = session->epoch_count - 1;
    m->session = session;
    m->pass = pass;
    m->looks = (struct clock_looks){0};
    m->done = session_lacks(session, row->operation) != NULL;
    return m->done || session->team.rank != 0 ? 0 : measurement_begin_pass(result, fault);
}

int measurement_run(const struct session *session, const struct measurement_case *row, struct measure_pass pass,
                    struct measure *m, struct measurement *result, struct fault *fault)
{
    const struct operation *const operation = row->operation;
    measure_begin(session, row, pass, m, result, fault);
    if (m->done)
        return 0;
    measure_open(m, operation, row->bytes, fault);
    result->type_name = m->call.type_name;
    if (team_agree(&session->team, fault) == 0 && measure_warm_up(m, operation, result, fault) == 0 &&
        measure_counted_runs(m, operation, result, fault) == 0 && measure_end(m, operation, result, fault) == 0)
        measure_causality(m, result, fault);
    session->team.traffic->mapped_bytes += m->buffers.mapped_bytes;
    batch_close(&m->batch);
    buffers_close(&m->buffers);
    call_release(&m->call);
    return (int)fault->code;
}
