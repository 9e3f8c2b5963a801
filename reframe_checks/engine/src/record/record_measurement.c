/* SPDX-License-Identifier: BSD-3-Clause */
/* record_measurement.c: the record of one operation at one size (see record_measurement.h). */
#include "record/record_measurement.h"

#include "record/record_first_call.h"
#include "record/record_trace.h"

#include <math.h>

static void record_invalid(const struct measurement *m, struct json *json)
{
    json_open(json, "invalid", '{');
    json_integer(json, "late_start", m->late_start);
    json_integer(json, "overrun", m->overrun);
    json_integer(json, "disturbed", m->regimes.excluded);
    json_close(json, '}');
    record_blame(&m->trace, json);
}

static void record_causality(const struct causality *causality, struct json *json)
{
    json_open(json, "causality", '{');
    json_integer(json, "violations", causality->violations);
    json_integer(json, "worst_ns", causality->worst_ns);
    json_integer(json, "error_ns", causality->error_ns);
    if (causality->violations > 0)
        json_integer(json, "rank", causality->rank);
    else
        json_null(json, "rank");
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

/* Means over the processes, of one operation. */
static void record_means(const struct measurement *m, struct json *json)
{
    const struct trace_means *const means = &m->trace.means;
    const double operations = (double)m->operations_per_rep;
    if (m->missing != NULL || isnan(means->average_ns)) {
        json_null(json, "rank_mean");
        return;
    }
    json_open(json, "rank_mean", '{');
    json_real(json, "avg_ns", means->average_ns / operations);
    json_real(json, "min_ns", means->least_ns / operations);
    json_real(json, "max_ns", means->most_ns / operations);
    json_close(json, '}');
}

/* Runs counted from the last process's start on: the time that remains once all have come. */
static void record_times_from_last(const struct measurement *m, const char *key, struct json *json)
{
    json_open(json, key, '[');
    for (size_t i = 0; i < m->runs; i++)
        json_integer(json, NULL, m->time_ns[i] - m->skew_ns[i] / m->operations_per_rep);
    json_close(json, ']');
}

static void record_from_last(const struct measurement *m, const struct options *options, struct json *json)
{
    if (arrival_is_none(&options->arrival)) {
        json_null(json, "from_last");
        return;
    }
    json_open(json, "from_last", '{');
    record_times_from_last(m, "time_ns", json);
    record_statistics(&m->judgement.from_last, options->confidence, json);
    json_close(json, '}');
}

static void record_cold(const struct measurement_cold *cold, struct json *json)
{
    if (cold->sets == 0) {
        json_null(json, "cold");
        return;
    }
    json_open(json, "cold", '{');
    json_integer(json, "sets", cold->sets);
    json_integer(json, "ring_bytes", cold->ring_bytes);
    json_integer(json, "first_touch_ns", cold->first_touch_ns);
    json_real(json, "first_use_ns", cold->first_use_ns);
    json_close(json, '}');
}

static void record_check(const struct check *check, struct json *json)
{
    if (!check->wrong) {
        json_null(json, "wrong");
        return;
    }
    json_open(json, "wrong", '{');
    json_integer(json, "rank", check->rank);
    json_integer(json, "element", check->element);
    json_real(json, "expected", check->expected);
    json_real(json, "found", check->found);
    json_close(json, '}');
}

static void record_costs(const struct measurement *m, struct json *json)
{
    if (!m->has_costs) {
        json_null(json, "costs");
        return;
    }
    json_open(json, "costs", '{');
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

/* In which regimes of the machine the runs were made, with --probes gate. */
static void record_regimes(const struct session *session, const struct measurement *m, struct json *json)
{
    if (session->watch == NULL || m->missing != NULL) {
        json_null(json, "regimes");
        return;
    }
    json_open(json, "regimes", '{');
    json_real(json, "quiet_ns", m->regimes.quiet_ns);
    json_real(json, "limit_ns", m->regimes.limit_ns);
    json_real(json, "disturbed_ns", m->regimes.line_ns);
    json_integer(json, "extra_ns", m->regimes.extra_ns);
    json_booleans(json, "disturbed", m->regimes.disturbed, m->runs);
    json_close(json, '}');
}

static void record_verdict(const struct measurement *m, struct json *json)
{
    json_integer(json, "clock_error_ns", m->judgement.clock.error_ns);
    json_integer(json, "clock_rank", m->judgement.clock.rank);
    json_integer(json, "clock_bound_ns", m->judgement.clock.bound_ns);
    record_causality(&m->causality, json);
    json_text(json, "verdict", m->judgement.verdict);
    json_text(json, "reason", m->judgement.reason);
}

void record_measurement(const struct session *session, const struct measurement *m, struct json *json)
{
    const struct options *const options = session->options;
    const struct statistics *const statistics = &m->judgement.statistics;
    json_open(json, NULL, '{');
    json_text(json, "record", "measurement");
    json_text(json, "operation", m->operation->name);
    json_integer(json, "bytes", m->bytes);
    json_integer(json, "processes", session->team.size);
    json_text(json, "scheme", SCHEME_WORDS[options->scheme]);
    json_integer(json, "epoch", (int64_t)m->epoch);
    json_text(json, "clock_sync", SYNC_WORDS[options->clock_sync]);
    json_text(json, "timer", TIMER_WORDS[options->timer]);
    json_text(json, "datatype", m->type_name);
    json_integer(json, "root", options->root);
    json_integer(json, "operations_per_rep", m->operations_per_rep);
    json_text(json, "counts", COUNTS_WORDS[m->operation->varied ? options->counts : COUNTS_BALANCED]);
    if (m->operation->moved > 0)
        json_integer(json, "bytes_moved", m->operation->moved * m->bytes);
    else
        json_null(json, "bytes_moved");
    json_integer(json, "reps_made", (int64_t)m->runs);
    json_integer(json, "reps_valid", (int64_t)m->reps_valid);
    json_integer(json, "reps_used", (int64_t)statistics->used);
    record_invalid(m, json);
    json_integers(json, "pass_reps", m->pass_reps, m->passes);
    json_integer(json, "slot_ns", m->slot_ns);
    if (m->missing == NULL) {
        json_integer(json, "first_call_ns", m->first_call_ns);
        json_integer(json, "second_call_ns", m->second_call_ns);
    } else {
        json_null(json, "first_call_ns");
        json_null(json, "second_call_ns");
    }
    json_integers(json, "time_ns", m->time_ns, m->runs);
    json_integers(json, "local_ns", m->local_ns, m->runs);
    json_booleans(json, "valid", m->valid, m->runs);
    json_booleans(json, "overran", m->overran, m->runs);
    json_real(json, "start_skew_ns", m->judgement.start_skew_ns);
    record_means(m, json);
    record_statistics(statistics, options->confidence, json);
    json_text(json, "interval_basis", statistics->from_passes ? "passes" : "reps");
    record_from_last(m, options, json);
    record_cold(&m->cold, json);
    record_first_call(session, json);
    record_trace(session, &m->trace, json);
    weather_log_write(&m->weather, json);
    record_regimes(session, m, json);
    record_check(&m->check, json);
    record_costs(m, json);
    record_overlap(m, json);
    record_verdict(m, json);
    json_close(json, '}');
}

void record_overhead(const struct session *session, const struct measurement *empty, struct json *json)
{
    const struct statistics *const most = &empty->judgement.statistics;
    const struct statistics *const least = &empty->judgement.from_last;
    json_open(json, NULL, '{');
    json_text(json, "record", "overhead");
    json_integer(json, "operations_per_rep", empty->operations_per_rep);
    json_integer(json, "reps_made", (int64_t)empty->runs);
    json_integer(json, "reps_valid", (int64_t)empty->reps_valid);
    json_integers(json, "pass_reps", empty->pass_reps, empty->passes);
    json_integers(json, "time_ns", empty->time_ns, empty->runs);
    record_times_from_last(empty, "from_last_ns", json);
    json_booleans(json, "valid", empty->valid, empty->runs);
    json_booleans(json, "overran", empty->overran, empty->runs);
    json_real(json, "confidence", session->options->confidence);
    json_real(json, "median_ns", most->median);
    json_real(json, "median_low_ns", most->median_low);
    json_real(json, "median_high_ns", most->median_high);
    json_real(json, "from_last_median_ns", least->median);
    json_real(json, "from_last_median_low_ns", least->median_low);
    json_real(json, "from_last_median_high_ns", least->median_high);
    json_close(json, '}');
}
