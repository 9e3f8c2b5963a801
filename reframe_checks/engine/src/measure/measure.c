/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * measure.c: the measuring loop, for all operations (M. Kurnosov, MPIPerf, 2012).
 *
 * First call, second call on other buffers, a warm-up batch without slots that is never counted, then batches of
 * scheduled repetitions until the stop rule of rank 0 is satisfied. Later passes omit the first two calls.
 */
#include "measure/measure.h"

#include "call/rma.h"
#include "call/threads.h"
#include "machine/team.h"
#include "measure/clock_check.h"
#include "measure/overlap.h"
#include "measure/warm_up.h"
#include "rules/slot.h"
#include "rules/stop.h"
#include "session/session.h"
#include "statistics/statistics.h"

#include <math.h>
#include <stdlib.h>

enum { MEASURE_LEAD = 8 }; /* the longest lead, as a multiple of the calibrated one */

/* Rank 0: adapt slot and lead to the last batch, which took took_ns. */
static void measure_adapt(struct measure *m, int64_t took_ns)
{
    const struct slot_outcome outcome = measure_outcome(m);
    patience_note(&m->patience, took_ns, outcome.reps, outcome.reps - outcome.in_time);
    slot_lower_cap(&m->slot_rule, &outcome);
    m->slot_ns = slot_next_width(&m->slot_rule, m->slot_ns, &outcome);
    /*
     * If the announcement came too late for a process, the next lead is twice as long, up to a limit; otherwise it
     * becomes shorter. On a busy machine a process that spins for longer is interrupted, so a long lead is not a remedy
     * there.
     */
    const int64_t min_ns = m->session->calibration.lead_ns;
    const int64_t target_ns = m->batch.summaries[0].late ? 2 * m->lead_ns : m->lead_ns - m->lead_ns / 8;
    const int64_t max_ns = MEASURE_LEAD * min_ns;
    m->lead_ns = target_ns < min_ns ? min_ns : target_ns > max_ns ? max_ns : target_ns;
}

/*
 * Rank 0: return half interval over mean; NaN if it is unknown or not required yet: before all measurements have had
 * their passes, or from values if there will be enough passes.
 */
static double measure_relative_error(const struct measure *m, const struct measurement *result, int64_t valid)
{
    const struct session *const session = m->session;
    const bool is_requested = m->pass.last || m->pass.number >= session->plan.passes - 1;
    if (!session->stop->needs_statistics || !is_requested || valid < session->options->min_valid)
        return NAN;
    const struct statistics statistics = measurement_statistics(result, session->options);
    const bool awaits_passes = !m->pass.last && session->plan.passes >= MIN_SPREAD_PASSES;
    return awaits_passes && !statistics.from_passes ? NAN : statistics_relative_error(&statistics);
}

bool measure_lags(const struct measurement *result, const struct stop_limits *share)
{
    return 2 * (int64_t)result->reps_valid < share->min_valid;
}

/*
 * Rank 0: return the repetitions of the next batch; 0 if the measurement is complete, or this pass has its share: one
 * batch, more if most repetitions are invalid; with a stop rule without precision, its share of the limits.
 */
static int64_t measure_next_reps(struct measure *m, struct measurement *result, int64_t begin_ns)
{
    const struct session *const session = m->session;
    const struct stop_rule *const stop = session->stop;
    const struct stop_limits all = measurement_limits(session, result);
    const struct stop_limits share = stop_limits_in_pass(&all, m->pass.number, session->plan.passes);
    const size_t valid = measurement_valid(result);
    struct stop_progress progress = {
        /* Repetitions that do not count are repeated. */
        .reps = (int64_t)(result->reps - (result->reps_valid - valid)),
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
    const int64_t remaining = stop->reps_left(&all, progress.reps), batch = session->options->batch;
    return remaining < batch && !session->scheme->loops ? remaining : batch;
}

/*
 * Rank 0: the same in turns: every pass has an equal share of the limits and makes a batch at least, whatever the
 * others needed, so that all residents have the same rounds.
 */
static int64_t measure_next_reps_in_turn(struct measure *m, const struct measurement *result, int64_t begin_ns)
{
    const struct session *const session = m->session;
    const struct stop_limits all = measurement_limits(session, result);
    const struct stop_limits share = stop_limits_of_pass(&all, session->plan.passes);
    const struct stop_progress progress = {
        .reps = result->pass_reps[result->passes - 1],
        .valid = (int64_t)(result->reps_valid - m->valid_before),
        .elapsed_s = (double)(clock_now(&session->clock) - begin_ns) * 1e-9,
        .relative_error = NAN,
    };
    const bool enough = progress.reps > 0 && (measure_is_long(m, begin_ns) || session->stop->enough(&share, &progress));
    m->done = m->pass.last && enough;
    if (enough)
        return 0;
    const int64_t remaining = session->stop->reps_left(&share, progress.reps), batch = session->options->batch;
    return remaining < batch && !session->scheme->loops ? remaining : batch;
}

/*
 * Rank 0, with --probes gate: return the parts to read before anything is measured, until the regime is certain, and
 * while waiting for the quiet regime may continue; 0: none.
 */
static int64_t measure_probes_first(const struct measure *m, struct measurement *result)
{
    struct regime_monitor *const monitor = m->session->monitor;
    if (monitor == NULL)
        return 0;
    if (monitor->uncertain)
        return PROBE_OFTEN | PROBE_REPEATED;
    if (!monitor->disturbed || result->regimes.include_disturbed)
        return 0;
    if (regime_monitor_may_wait(monitor))
        return PROBE_OFTEN | PROBE_REPEATED | PROBE_NAP;
    result->regimes.include_disturbed = true;
    return 0;
}

/* Rank 0: return the repetitions of the next batch, and set what follows it; without both the pass ends. */
static int64_t measure_next(struct measure *m, struct measurement *result, int64_t begin_ns)
{
    const struct session *const session = m->session;
    m->probes_due = measure_probes_first(m, result);
    const int64_t reps = m->probes_due               ? 0
                         : session->resident != NULL ? measure_next_reps_in_turn(m, result, begin_ns)
                                                     : measure_next_reps(m, result, begin_ns);
    m->clock_checks.due = reps > 0 && clock_check_is_due(m);
    if (reps > 0 && session->probes != NULL)
        m->probes_due = probes_due(session->probes);
    else if (m->probes_due == 0 && session->monitor != NULL && result->regimes.classified < result->reps)
        m->probes_due = PROBE_OFTEN;
    return reps;
}

/* Read the probes after a batch, outside all slots. */
static int measure_probes(const struct measure *m, struct measurement *result, struct fault *fault)
{
    struct probes *const probes = m->session->probes;
    struct regime_monitor *const monitor = m->session->monitor;
    struct probe_entry entry = {
        .batch = (int64_t)m->trace.batches - 1, .reps = (int64_t)result->reps, .t_ns = probes_time(probes)};
    if (probes_read(probes, &m->session->team, m->plan.probes, &entry.reading, fault) || m->session->team.rank != 0)
        return (int)fault->code;
    const double before_ns = monitor == NULL ? NAN : monitor->level_ns;
    if (monitor != NULL && regime_monitor_note(monitor, m->plan.probes, entry.reading.value[READING_CACHE_LINE]))
        measurement_set_level(result, fmax(before_ns, monitor->level_ns), monitor->gate.limit);
    return probe_log_add(&result->probes, &entry, probes->took_ns, fault);
}

/* Add a batch to trace and measurement, adapt the schedule, and check the clocks if due. */
static int measure_counted_batch(struct measure *m, struct measurement *result, int64_t begin_ns, struct fault *fault)
{
    if (trace_add(&m->trace, &m->batch, &m->plan, m->session->options->per_rank, m->session->scheme->loops, fault))
        return (int)fault->code;
    if (m->session->team.rank == 0) {
        if (measurement_add(result, m->batch.summaries, m->plan.reps, fault))
            return (int)fault->code;
        result->slot_ns = m->plan.slot_ns;
        measure_adapt(m, clock_now(&m->session->clock) - begin_ns);
    }
    return m->plan.clock_check ? clock_check_perform(m, fault) : 0;
}

static int measure_counted_reps(struct measure *m, const struct operation *operation, struct measurement *result,
                                struct fault *fault)
{
    const struct session *const session = m->session;
    struct regime_monitor *const monitor = session->team.rank == 0 ? session->monitor : NULL;
    const int64_t begin_ns = clock_now(&session->clock);
    const int64_t extra_ns = monitor == NULL ? 0 : monitor->extra_ns;
    if (monitor != NULL)
        regime_monitor_begin(monitor);
    do {
        const int64_t batch_ns = clock_now(&session->clock);
        const int64_t reps = session->team.rank == 0 ? measure_next(m, result, begin_ns) : 0;
        if (measure_checked_batch(m, operation, reps, m->slot_ns, fault))
            return (int)fault->code;
        if (m->plan.reps > 0 && measure_counted_batch(m, result, batch_ns, fault))
            return (int)fault->code;
        if (m->plan.probes && measure_probes(m, result, fault))
            return (int)fault->code;
    } while (m->plan.reps > 0 || m->plan.probes);
    m->probes_due = 0;
    m->elapsed_ns += clock_now(&session->clock) - begin_ns;
    if (monitor != NULL)
        result->regimes.extra_ns += monitor->extra_ns - extra_ns;
    return 0;
}

/*
 * With --check: one more repetition on known data, for results that previous repetitions would overwrite: with cold
 * buffers, and of operations in place.
 */
static int measure_check(struct measure *m, const struct operation *operation, struct measurement *result,
                         struct fault *fault)
{
    if (!m->session->options->check)
        return 0;
    m->checks = true;
    m->operations = 1;
    if (m->session->scheme->rotates)
        m->call.root = 0; /* as in the first operation of a loop */
    if (measure_use_buffers(m, 0, fault) || measure_checked_batch(m, operation, 1, m->slot_ns, fault) ||
        check_agree(&m->session->team, &m->check, fault))
        return (int)fault->code;
    result->check = m->check;
    return 0;
}

static void measure_open(struct measure *m, const struct operation *operation, int64_t bytes, struct fault *fault)
{
    const struct options *const options = m->session->options;
    const struct calibration *const calibration = &m->session->calibration;
    const int64_t reps = options->batch > options->warmup_reps ? options->batch : options->warmup_reps;
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
    m->checks = options->check && policy.cache_bytes == 0 && !m->session->scheme->rotates;
    session_call(m->session, operation, bytes, &m->call);
    m->call.made.any = m->pass.number > 0;
    m->call.buffered =
        options->buffered_sends ? 2 * reps : 0; /* the messages of a batch, and the rest of the previous one */
    m->call.send_buffer = options->send_buffer;
    if (call_open(&m->call, fault) == 0 && threads_open(&m->call, fault) == 0) /* a process without peers is idle */
        m->trace.idle = m->call.idle ||
                        (operation->sends == SHARE_PEERS && m->call.sent.blocks == 0 && m->call.received.blocks == 0);
    if (fault->code == FAULT_NONE && buffers_open(&m->buffers, &m->call, &policy, fault) == 0)
        batch_open(&m->batch, reps, fault);
}

/* After the last pass: check, overlap and traces. */
static int measure_end(struct measure *m, const struct operation *operation, struct measurement *result,
                       struct fault *fault)
{
    if (!m->done)
        return 0;
    if (measure_check(m, operation, result, fault) || overlap_measure(m, operation, result, fault))
        return (int)fault->code;
    return trace_gather(&m->session->team, &m->session->environment, &m->trace, &result->trace, fault);
}

/* Messages that arrived before they were sent, in the worst pass. */
static int measure_causality(struct measure *m, struct measurement *result, struct fault *fault)
{
    struct causality causality = {.rank = -1};
    if (clock_check_conclude(m, &causality, fault))
        return (int)fault->code;
    if (m->pass.number == 0 || causality.worst_ns > result->causality.worst_ns)
        result->causality = causality;
    return 0;
}

/* Begin a pass; the first one begins the measurement. */
static int measure_begin(const struct session *session, const struct measurement_case *measured_case,
                         struct measure_pass pass, struct measure *m, struct measurement *result, struct fault *fault)
{
    if (pass.number == 0)
        *result = (struct measurement){
            .operation = measured_case->operation,
            .bytes = measured_case->bytes,
            .type_name = session_datatype(session, measured_case->operation),
            .missing = session_why_not_supported(session, measured_case->operation),
            .causality = {.rank = -1},
            .operations_per_rep =
                session->scheme->loops ? session->options->batch : session->options->operations_per_rep,
            .first_epoch = session->epoch_count - 1,
        };
    result->epoch = session->epoch_count - 1;
    m->session = session;
    m->pass = pass;
    m->clock_checks = (struct clock_checks){0};
    m->done = result->missing != NULL;
    m->valid_before = result->reps_valid;
    result->warmup_reps = 0;
    return m->done || session->team.rank != 0 ? 0 : measurement_begin_pass(result, fault);
}

/* Of bursts: their messages, of the group that has most; the first process of each group has counted them. */
static int measure_messages(const struct measure *m, struct measurement *result, struct fault *fault)
{
    if (!m->call.operation->bursts || m->pass.number > 0)
        return 0;
    result->messages = m->call.messages;
    return team_maximum(&m->session->team, &result->messages, 1, MPI_INT64_T, fault);
}

/* Collective: what the library refuses on any process is not supported. */
static int measure_refuse(struct measure *m, const char *why, struct measurement *result, struct fault *fault)
{
    int64_t refused = m->call.refused;
    if (team_maximum(&m->session->team, &refused, 1, MPI_INT64_T, fault) || refused == 0)
        return (int)fault->code;
    m->done = true;
    m->call.refused = true;
    result->missing = why;
    result->passes = 0;
    return 0;
}

/* Collective: open the window of a one-sided operation; without it the operation is not supported. */
static int measure_expose(struct measure *m, struct measurement *result, struct fault *fault)
{
    if (m->call.operation->exposes == EXPOSES_NOTHING)
        return 0;
    buffers_expose(&m->buffers, &m->call, fault);
    if (team_agree(&m->session->team, fault))
        return (int)fault->code;
    return measure_refuse(m, "the MPI library makes no window of this kind between these processes", result, fault);
}

/* Collective, after the first calls of an operation that makes something. */
static int measure_made(struct measure *m, struct measurement *result, struct fault *fault)
{
    if (!m->call.operation->makes)
        return 0;
    return measure_refuse(m, "the MPI library does not make it between these processes", result, fault);
}

/* Measure, check, and gather; the call is open. */
static int measure_opened(struct measure *m, const struct operation *operation, struct measurement *result,
                          struct fault *fault)
{
    if (team_agree(&m->session->team, fault) || measure_expose(m, result, fault) || m->done)
        return (int)fault->code;
    if (measure_messages(m, result, fault) || warm_up(m, operation, result, fault) || measure_made(m, result, fault) ||
        m->done)
        return (int)fault->code;
    if (measure_counted_reps(m, operation, result, fault) == 0 && measure_end(m, operation, result, fault) == 0 &&
        measure_causality(m, result, fault) == 0)
        rma_close(&m->call);
    return (int)fault->code;
}

int measure_perform_pass(const struct session *session, const struct measurement_case *measured_case,
                         struct measure_pass pass, struct measure *m, struct measurement *result, struct fault *fault)
{
    const struct operation *const operation = measured_case->operation;
    measure_begin(session, measured_case, pass, m, result, fault);
    if (m->done)
        return 0;
    measure_open(m, operation, measured_case->bytes, fault);
    result->type_name = m->call.type_name;
    measure_opened(m, operation, result, fault);
    session->team.traffic->mapped_bytes += m->buffers.mapped_bytes;
    batch_close(&m->batch);
    buffers_close(&m->buffers);
    threads_close(&m->call);
    call_release(&m->call);
    return (int)fault->code;
}
