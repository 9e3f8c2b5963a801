/* SPDX-License-Identifier: BSD-3-Clause */
/* record_candle.c: writes the records (see record_candle.h). */
#include "candle/record_candle.h"

#include "base/affinity.h"
#include "base/version.h"
#include "turns/turn_log.h"

#include <stddef.h>
#include <string.h>

enum { RECORD_RANKS = 4096 }; /* characters of a list of ranks */

static bool record_same(const struct member *a, const struct member *b, bool with_cpus)
{
    return a->host == b->host && (!with_cpus || strcmp(a->cpus, b->cpus) == 0);
}

/* Return true if no lower rank has the same host, or the same host and cores. */
static bool record_is_first(const struct rendezvous *rendezvous, int rank, bool with_cpus)
{
    for (int earlier = 0; earlier < rank; earlier++)
        if (record_same(&rendezvous->members[earlier], &rendezvous->members[rank], with_cpus))
            return false;
    return true;
}

static void record_ranks(const struct rendezvous *rendezvous, int rank, bool with_cpus, struct json *json)
{
    char text[RECORD_RANKS] = "";
    for (int r = rank; r < rendezvous->place.size; r++) {
        const int first = r;
        while (r < rendezvous->place.size &&
               record_same(&rendezvous->members[r], &rendezvous->members[rank], with_cpus))
            r++;
        if (r > first)
            affinity_append_range(text, sizeof text, first, r - 1);
    }
    json_text(json, "ranks", text);
}

/* Write a list of hosts, or of hosts and cores, with their ranks. */
static void record_places(const struct rendezvous *rendezvous, bool with_cpus, struct json *json)
{
    json_open(json, with_cpus ? "bindings" : "hosts", '[');
    for (int rank = 0; rank < rendezvous->place.size; rank++) {
        if (!record_is_first(rendezvous, rank, with_cpus))
            continue;
        json_open(json, NULL, '{');
        json_text(json, with_cpus ? "host" : "name", rendezvous_host(rendezvous, rendezvous->members[rank].host));
        if (with_cpus)
            json_text(json, "cpus", rendezvous->members[rank].cpus);
        record_ranks(rendezvous, rank, with_cpus, json);
        json_close(json, '}');
    }
    json_close(json, ']');
}

void record_candle_header(const struct candle_options *options, int argc, char **argv,
                          const struct rendezvous *rendezvous, const struct resident *resident, struct json *json)
{
    json_open(json, NULL, '{');
    json_text(json, "record", "header");
    json_text(json, "kind", "candle");
    json_integer(json, "schema", OUTPUT_SCHEMA);
    json_integer(json, "candle_version", CANDLE_VERSION);
    json_text(json, "engine_version", ENGINE_VERSION);
    json_now(json, "started_at");
    json_open(json, "command", '[');
    for (int i = 0; i < argc; i++)
        json_text(json, NULL, argv[i]);
    json_close(json, ']');
    json_pairs(json, "launch", options->notes.texts, options->notes.count);
    json_text(json, "compiler", ENGINE_COMPILER);
    json_integer(json, "processes", rendezvous->place.size);
    record_places(rendezvous, false, json);
    record_places(rendezvous, true, json);
    json_integer(json, "passes", options->passes);
    json_integer(json, "batch", options->batch);
    turn_plan_write(resident, 1, json);
    json_close(json, '}');
}

/* Write one number of all slices. */
static void record_column(const char *name, const struct slice *slices, int64_t passes, size_t offset,
                          struct json *json)
{
    json_open(json, name, '[');
    for (int64_t pass = 0; pass < passes; pass++) {
        int64_t value = 0;
        memcpy(&value, (const char *)&slices[pass] + offset, sizeof value);
        json_integer(json, NULL, value);
    }
    json_close(json, ']');
}

void record_candle_case(const struct candle_case *item, const struct slice *slices, int64_t passes, bool in_turns,
                        struct json *json)
{
    const int64_t turns = in_turns ? passes : 0;
    json_open(json, NULL, '{');
    json_text(json, "record", "candle");
    json_text(json, "operation", item->operation.name);
    json_integer(json, "bytes", item->bytes);
    json_text(json, "kernel", KERNEL_NAMES[item->operation.kernel]);
    record_column("t_ns", slices, passes, offsetof(struct slice, t_ns), json);
    json_open(json, "median_ns", '[');
    for (int64_t pass = 0; pass < passes; pass++)
        json_real(json, NULL, slices[pass].median_ns);
    json_close(json, ']');
    record_column("reps", slices, passes, offsetof(struct slice, reps), json);
    record_column("warmup_reps", slices, passes, offsetof(struct slice, warmup_reps), json);
    record_column("slept_cpu_ns", slices, turns, offsetof(struct slice, slept_cpu_ns), json);
    record_column("waited_ns", slices, turns, offsetof(struct slice, waited_ns), json);
    json_close(json, '}');
}
