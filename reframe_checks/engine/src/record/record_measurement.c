/* SPDX-License-Identifier: BSD-3-Clause */
/* record_measurement.c: the records of a measurement and of the overhead (see record_measurement.h). */
#include "record/record_measurement.h"

#include "measure/first_call.h"
#include "record/record_trace.h"

#include <math.h>

/* Write "late_initialisation"; null if the first call of the launch was not timed. */
static void record_first_call(const struct session *session, struct json *json)
{
    const struct first_call *const first = session->first;
    if (!json_open_if(json, "late_initialisation", '{', first != NULL && first->complete))
        return;
    json_integer(json, "calls", FIRST_CALL_LATER);
    json_integer(json, "rank0_first_ns", first->rank0.first);
    json_integer(json, "rank0_second_ns", first->rank0.second);
    json_integer(json, "rank0_later_ns", first->rank0.later);
    json_integer(json, "slowest_first_ns", first->slowest.first);
    json_integer(json, "slowest_second_ns", first->slowest.second);
    json_integer(json, "slowest_later_ns", first->slowest.later);
    json_integer(json, "slowest_rank", first->slowest_rank);
    json_integer(json, "span_first_ns", first->span_ns);
    json_integer(json, "skew_first_ns", first->skew_ns);
    json_close(json, '}');
}

static void record_invalid(const struct measurement *m, struct json *json)
{
    json_open(json, "invalid", '{');
    json_integer(json, "late_start", m->late_start);
    json_integer(json, "overrun", m->overrun);
    json_integer(json, "disturbed", m->regimes.excluded);
    json_close(json, '}');
    record_invalid_by_rank(&m->trace, json);
}

static void record_causality(const struct causality *causality, struct json *json)
{
    json_open(json, "causality", '{');
    json_integer(json, "violations", causality->violations);
    json_integer(json, "worst_ns", causality->worst_ns);
    json_integer(json, "error_ns", causality->error_ns);
    json_integer_if(json, "rank", causality->rank, causality->violations > 0);
    json_close(json, '}');
}

static void record_statistics(const struct statistics *s, double confidence, struct json *json)
{
    json_real(json, "mean_ns", s->mean);
    json_real(json, "se_ns", s->se);
    json_real(json, "ci_low_ns", s->ci_low);
    json_real(json, "ci_high_ns", s->ci_high);
    json_real(json, "confidence", confidence);
    json_real(json, "median_ns", s->median);
    json_real(json, "median_low_ns", s->median_low);
    json_real(json, "median_high_ns", s->median_high);
    json_real(json, "min_ns", s->min);
    json_real(json, "max_ns", s->max);
    json_real(json, "autocorrelation", s->dependence.autocorrelation);
}

/* Write the means over the processes, per operation. */
static void record_means(const struct measurement *m, struct json *json)
{
    const struct trace_means *const means = &m->trace.means;
    const double operations = (double)m->operations_per_rep;
    if (!json_open_if(json, "rank_mean", '{', m->missing == NULL && !isnan(means->average_ns)))
        return;
    json_real(json, "avg_ns", means->average_ns / operations);
    json_real(json, "min_ns", means->min_ns / operations);
    json_real(json, "max_ns", means->max_ns / operations);
    json_real(json, "zero_ns", means->zero_ns / operations);
    json_close(json, '}');
}

/* Write the times from the last start: what remains after the arrival of all processes. */
static void record_times_from_last(const struct measurement *m, const char *key, struct json *json)
{
    json_open(json, key, '[');
    for (size_t i = 0; i < m->reps; i++)
        json_integer(json, NULL, m->time_ns[i] - m->skew_ns[i] / m->operations_per_rep);
    json_close(json, ']');
}

static void record_from_last(const struct measurement *m, const struct options *options, struct json *json)
{
    if (!json_open_if(json, "from_last", '{', !arrival_is_none(&options->arrival)))
        return;
    record_times_from_last(m, "time_ns", json);
    record_statistics(&m->summary.from_last, options->confidence, json);
    json_close(json, '}');
}

static void record_cold(const struct measurement_cold *cold, struct json *json)
{
    if (!json_open_if(json, "cold", '{', cold->sets != 0))
        return;
    json_integer(json, "sets", cold->sets);
    json_integer(json, "ring_bytes", cold->ring_bytes);
    json_integer(json, "first_touch_ns", cold->first_touch_ns);
    json_real(json, "first_use_ns", cold->first_use_ns);
    json_close(json, '}');
}

static void record_check(const struct check *check, struct json *json)
{
    if (!json_open_if(json, "wrong", '{', check->wrong))
        return;
    json_integer(json, "rank", check->rank);
    json_integer(json, "element", check->element);
    json_real(json, "expected", check->expected);
    json_real(json, "found", check->actual);
    json_close(json, '}');
}

static void record_costs(const struct measurement *m, struct json *json)
{
    if (!json_open_if(json, "costs", '{', m->has_costs))
        return;
    json_real(json, "timer_ns", m->timer_cost_ns);
    json_real(json, "barrier_ns", m->barrier_cost_ns);
    json_real(json, "cost_ns", m->cost_ns);
    json_close(json, '}');
}

static void record_overlap(const struct measurement *m, struct json *json)
{
    json_open(json, "overlap", '[');
    for (int i = 0; i < m->overlaps; i++) {
        json_open(json, NULL, '{');
        json_real(json, "compute_ns", m->overlap[i].compute_ns);
        json_real(json, "total_ns", m->overlap[i].total_ns);
        json_real(json, "overlap", m->overlap[i].overlap);
        json_close(json, '}');
    }
    json_close(json, ']');
}

/* With --probes gate: write the regimes of the machine during the repetitions. */
static void record_regimes(const struct session *session, const struct measurement *m, struct json *json)
{
    if (!json_open_if(json, "regimes", '{', session->monitor != NULL && m->missing == NULL))
        return;
    json_real(json, "quiet_ns", m->regimes.quiet_ns);
    json_real(json, "limit_ns", m->regimes.limit_ns);
    json_real(json, "disturbed_ns", m->regimes.line_ns);
    json_integer(json, "extra_ns", m->regimes.extra_ns);
    json_booleans(json, "disturbed", m->regimes.disturbed, m->reps);
    json_close(json, '}');
}

static void record_verdict(const struct measurement *m, struct json *json)
{
    json_integer(json, "clock_error_ns", m->summary.clock.error_ns);
    json_integer(json, "clock_rank", m->summary.clock.rank);
    json_integer(json, "clock_bound_ns", m->summary.clock.bound_ns);
    record_causality(&m->causality, json);
    json_text(json, "verdict", m->summary.verdict);
    json_text(json, "reason", m->summary.reason);
}

/* Write the groups that executed the operation, and how many processes were in them. */
static void record_groups(const struct session *session, struct json *json)
{
    const struct groups *const groups = &session->options->groups;
    const struct groups_shape shape = groups_shape(groups, session->team.size);
    json_text(json, "groups", session->options->groups_text);
    json_integer(json, "group_count", groups->kind == GROUPS_NODE ? session->environment.hosts : shape.count);
    json_integer(json, "active", shape.active);
}

/* Write what a bandwidth and a message rate are calculated from: for one operation, or null. */
static void record_moved(const struct session *session, const struct measurement *m, struct json *json)
{
    const bool bursts = m->operation->bursts;
    const int64_t threads = operation_has_threads(m->operation) ? session->options->threads : 1;
    const bool moves = m->operation->moved > 0 && (!bursts || m->messages > 0);
    json_integer_if(json, "bytes_moved", m->operation->moved * m->bytes * (bursts ? m->messages : threads), moves);
    json_integer_if(json, "messages", m->messages, m->messages > 0);
}

void record_measurement(const struct session *session, const char *name, const struct measurement *m, struct json *json)
{
    const struct options *const options = session->options;
    const struct statistics *const statistics = &m->summary.statistics;
    json_open(json, NULL, '{');
    json_text(json, "record", name);
    json_text(json, "operation", m->operation->name);
    json_integer(json, "bytes", m->bytes);
    json_integer(json, "processes", session->team.size);
    record_groups(session, json);
    json_text(json, "scheme", SCHEME_NAMES[options->scheme]);
    json_integer(json, "epoch", (int64_t)m->epoch);
    json_text(json, "clock_sync", SYNC_NAMES[options->clock_sync]);
    json_text(json, "timer", TIMER_NAMES[options->timer]);
    json_text(json, "datatype", m->type_name);
    json_integer(json, "root", options->root);
    json_integer(json, "operations_per_rep", m->operations_per_rep);
    json_text(json, "counts", COUNTS_NAMES[m->operation->varied ? options->counts : COUNTS_BALANCED]);
    record_moved(session, m, json);
    json_integer(json, "reps_made", (int64_t)m->reps);
    json_integer(json, "reps_valid", (int64_t)m->reps_valid);
    json_integer(json, "reps_used", (int64_t)statistics->used);
    record_invalid(m, json);
    json_integers(json, "pass_reps", m->pass_reps, m->passes);
    json_integer(json, "slot_ns", m->slot_ns);
    json_integer_if(json, "first_call_ns", m->first_call_ns, m->missing == NULL);
    json_integer_if(json, "second_call_ns", m->second_call_ns, m->missing == NULL);
    json_integers(json, "time_ns", m->time_ns, m->reps);
    json_integers(json, "local_ns", m->local_ns, m->reps);
    json_booleans(json, "valid", m->valid, m->reps);
    json_booleans(json, "overran", m->overran, m->reps);
    json_real(json, "start_skew_ns", m->summary.start_skew_ns);
    record_means(m, json);
    record_statistics(statistics, options->confidence, json);
    json_text(json, "interval_basis", statistics->from_passes ? "passes" : "reps");
    record_from_last(m, options, json);
    record_cold(&m->cold, json);
    record_first_call(session, json);
    record_trace(session, &m->trace, json);
    probe_log_write(&m->probes, json);
    record_regimes(session, m, json);
    record_check(&m->check, json);
    record_costs(m, json);
    record_overlap(m, json);
    record_verdict(m, json);
    json_close(json, '}');
}

void record_overhead(const struct session *session, const struct measurement *empty, struct json *json)
{
    const struct statistics *const times = &empty->summary.statistics;
    const struct statistics *const from_last = &empty->summary.from_last;
    json_open(json, NULL, '{');
    json_text(json, "record", "overhead");
    json_integer(json, "operations_per_rep", empty->operations_per_rep);
    json_integer(json, "reps_made", (int64_t)empty->reps);
    json_integer(json, "reps_valid", (int64_t)empty->reps_valid);
    json_integers(json, "pass_reps", empty->pass_reps, empty->passes);
    json_integers(json, "time_ns", empty->time_ns, empty->reps);
    record_times_from_last(empty, "from_last_ns", json);
    json_booleans(json, "valid", empty->valid, empty->reps);
    json_booleans(json, "overran", empty->overran, empty->reps);
    json_real(json, "confidence", session->options->confidence);
    json_real(json, "median_ns", times->median);
    json_real(json, "median_low_ns", times->median_low);
    json_real(json, "median_high_ns", times->median_high);
    json_real(json, "from_last_median_ns", from_last->median);
    json_real(json, "from_last_median_low_ns", from_last->median_low);
    json_real(json, "from_last_median_high_ns", from_last->median_high);
    json_close(json, '}');
}
