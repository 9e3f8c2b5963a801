/* SPDX-License-Identifier: BSD-3-Clause */
/* record_trace.c: the members of a measurement record that concern single processes (see record_trace.h). */
#include "record/record_trace.h"

enum { RECORD_MAX_RANKS = 16 };

void record_invalid_by_rank(const struct trace_report *trace, struct json *json)
{
    int64_t previous = INT64_MAX;
    int previous_rank = -1;
    json_open(json, "invalid_by_rank", '[');
    for (int written = 0; written < RECORD_MAX_RANKS; written++) {
        int worst = -1;
        int64_t max = 0;
        for (int rank = 0; rank < trace->ranks; rank++) {
            const int64_t invalid = trace->late_start[rank] + trace->overrun[rank];
            const bool follows = invalid < previous || (invalid == previous && rank > previous_rank);
            if (follows && invalid > max) {
                max = invalid;
                worst = rank;
            }
        }
        if (worst < 0)
            break;
        json_open(json, NULL, '{');
        json_integer(json, "rank", worst);
        json_integer(json, "late_start", trace->late_start[worst]);
        json_integer(json, "overrun", trace->overrun[worst]);
        json_close(json, '}');
        previous = max;
        previous_rank = worst;
    }
    json_close(json, ']');
}

static void record_straggler_list(const struct session *session, const struct straggler *named, size_t count,
                                  bool hosts, struct json *json)
{
    json_open(json, hosts ? "hosts" : "ranks", '[');
    for (size_t i = 0; i < count; i++) {
        json_open(json, NULL, '{');
        if (!hosts)
            json_integer(json, "rank", named[i].id);
        json_text(json, "host", session->environment.locations[named[i].id].host);
        json_integer(json, "late_start", named[i].failures[STRAGGLER_LATE_START]);
        json_integer(json, "overrun", named[i].failures[STRAGGLER_OVERRUN]);
        json_real(json, "late_start_p", named[i].p[STRAGGLER_LATE_START]);
        json_real(json, "overrun_p", named[i].p[STRAGGLER_OVERRUN]);
        json_close(json, '}');
    }
    json_close(json, ']');
}

static void record_stragglers(const struct session *session, const struct trace_report *trace, struct json *json)
{
    json_open(json, "stragglers", '{');
    json_integer(json, "batches", trace->batches);
    record_straggler_list(session, trace->stragglers, trace->straggler_count, false, json);
    record_straggler_list(session, trace->slow_hosts, trace->slow_host_count, true, json);
    json_close(json, '}');
}

/* Write starts, or ends: a list of repetitions for each rank. */
static void record_rank_times(const struct trace_report *trace, const char *key, size_t which, struct json *json)
{
    const int32_t *times = trace->times;
    json_open(json, key, '[');
    for (int rank = 0; rank < trace->ranks; rank++) {
        json_open(json, NULL, '[');
        for (size_t rep = 0; rep < trace->reps; rep++, times += 2)
            json_integer(json, NULL, times[which]);
        json_close(json, ']');
    }
    json_close(json, ']');
}

/* Write the durations of the operations of the last loop: a list for each rank. */
static void record_operations(const struct trace_report *trace, struct json *json)
{
    const int32_t *times = trace->operations_ns;
    if (!json_open_if(json, "operations_ns", '[', trace->operations != 0))
        return;
    for (int rank = 0; rank < trace->ranks; rank++) {
        json_open(json, NULL, '[');
        for (size_t i = 0; i < trace->operations; i++)
            json_integer(json, NULL, *times++);
        json_close(json, ']');
    }
    json_close(json, ']');
}

/* Write, for each repetition, its first start, its slot, and the start relative to the slot. */
static void record_positions(const struct trace_report *trace, struct json *json)
{
    json_open(json, "begin_ns", '[');
    for (size_t rep = 0; rep < trace->reps; rep++)
        json_integer(json, NULL, trace->positions[rep].begin_ns);
    json_close(json, ']');
    json_open(json, "slot_ns", '[');
    for (size_t rep = 0; rep < trace->reps; rep++)
        json_integer(json, NULL, trace->positions[rep].slot_ns);
    json_close(json, ']');
    json_open(json, "into_slot_ns", '[');
    for (size_t rep = 0; rep < trace->reps; rep++)
        json_integer(json, NULL, trace->positions[rep].into_slot_ns);
    json_close(json, ']');
}

static void record_per_rank(const struct trace_report *trace, struct json *json)
{
    if (!json_open_if(json, "per_rank", '{', trace->reps != 0))
        return;
    record_rank_times(trace, "start_ns", 0, json);
    record_rank_times(trace, "end_ns", 1, json);
    record_positions(trace, json);
    record_operations(trace, json);
    json_close(json, '}');
}

void record_trace(const struct session *session, const struct trace_report *trace, struct json *json)
{
    record_stragglers(session, trace, json);
    record_per_rank(trace, json);
}
