/* SPDX-License-Identifier: BSD-3-Clause */
/* record_launch.c: the records that describe a launch: header and clock (see record.h). */
#include "record.h"

#include "version.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static void record_started_at(struct json *json)
{
    const time_t now = time(NULL);
    struct tm utc;
    char text[32] = "";
    if (gmtime_r(&now, &utc) != NULL)
        strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc);
    json_text(json, "started_at", text);
}

static void record_options(const struct session *session, struct json *json)
{
    const struct options *const options = session->options;
    json_open(json, "options", '{');
    json_open(json, "operations", '[');
    for (size_t i = 0; i < session->operations.count; i++)
        json_text(json, NULL, session->operations.items[i]->name);
    json_close(json, ']');
    json_integers(json, "sizes", options->sizes.bytes, options->sizes.count);
    options_write(options, json);
    json_close(json, '}');
}

static void record_launch_notes(const struct options *options, struct json *json)
{
    json_open(json, "launch", '{');
    for (size_t i = 0; i < options->launch_count; i++) {
        const char *const pair = options->launch[i];
        const size_t length = strcspn(pair, "=");
        char key[OPTIONS_KEY_LIMIT + 1];
        snprintf(key, sizeof key, "%.*s", (int)length, pair);
        json_text(json, key, pair + length + 1);
    }
    json_close(json, '}');
}

static void record_timer(const struct session *session, struct json *json)
{
    const struct timer_quality *const quality = &session->calibration.timer;
    json_open(json, "timer", '{');
    json_text(json, "name", session->timer->name);
    json_real(json, "resolution_ns", quality->resolution_ns);
    json_real(json, "cost_ns", quality->cost_ns);
    json_boolean(json, "monotonic", quality->monotonic);
    json_real(json, "rate_ppm", quality->rate_ppm);
    if (quality->invariant < 0)
        json_null(json, "invariant");
    else
        json_boolean(json, "invariant", quality->invariant != 0);
    json_close(json, '}');
}

/* Who has which rank in the measured communicator, and when each of these comes; null where all is as usual. */
static void record_arrangement(const struct session *session, struct json *json)
{
    const struct options *const options = session->options;
    const size_t size = (size_t)session->team.size;
    if (options->rank_order.kind == RANK_ORDER_IDENTITY)
        json_null(json, "rank_order");
    else
        json_integers(json, "rank_order", session->process, size);
    if (arrival_is_none(&options->arrival))
        json_null(json, "arrival_ns");
    else
        json_integers(json, "arrival_ns", session->arrival_ns, size);
    json_integer(json, "cache_bytes", (int64_t)session->cache_bytes);
}

void record_header(const struct session *session, int argc, char **argv, struct json *json)
{
    char library[512];
    char standard[16];
    int major = 0, minor = 0;
    environment_library(library, sizeof library);
    MPI_Get_version(&major, &minor);
    snprintf(standard, sizeof standard, "%d.%d", major, minor);

    json_open(json, NULL, '{');
    json_text(json, "record", "header");
    json_integer(json, "schema", OUTPUT_SCHEMA);
    json_text(json, "engine_version", ENGINE_VERSION);
    record_started_at(json);
    json_open(json, "command", '[');
    for (int i = 0; i < argc; i++)
        json_text(json, NULL, argv[i]);
    json_close(json, ']');
    record_options(session, json);
    record_launch_notes(session->options, json);
    json_text(json, "mpi_library_version", library);
    json_text(json, "mpi_standard", standard);
    json_text(json, "compiler", ENGINE_COMPILER);
    json_integer(json, "processes", session->team.size);
    environment_write(&session->environment, json);
    record_timer(session, json);
    record_arrangement(session, json);
    json_boolean(json, "simulated", session->simulated);
    json_close(json, '}');
}

int record_gather_offsets(const struct session *session, struct record_offsets *offsets, struct fault *fault)
{
    const struct team *const team = &session->team;
    const int bytes = (int)sizeof *offsets->ranks;
    offsets->ranks = team->rank == 0 ? calloc((size_t)team->size, sizeof *offsets->ranks) : NULL;
    if (team->rank == 0 && offsets->ranks == NULL)
        return fault_set(fault, FAULT_SYSTEM, "out of memory for the offsets of %d ranks", team->size);
    return team_mpi(fault,
                    MPI_Gather(&session->synchronisation, bytes, MPI_BYTE, offsets->ranks, bytes, MPI_BYTE, 0,
                               team->comm),
                    "MPI_Gather");
}

void record_free_offsets(struct record_offsets *offsets)
{
    free(offsets->ranks);
    offsets->ranks = NULL;
}

void record_clock(const struct session *session, const struct record_offsets *offsets, bool after, struct json *json)
{
    const struct verification *const verification = after ? &session->after : &session->before;
    const size_t count = (size_t)verification->count;
    int64_t offset_ns[VERIFICATION_RANKS + 1];
    int64_t bound_ns[VERIFICATION_RANKS + 1];
    int64_t exchanges = 0;
    for (int rank = 0; rank < session->team.size; rank++)
        exchanges += offsets->ranks[rank].exchanges;
    for (size_t i = 0; i < count; i++) {
        offset_ns[i] = offsets->ranks[verification->ranks[i]].offset_ns;
        bound_ns[i] = offsets->ranks[verification->ranks[i]].bound_ns;
    }
    json_open(json, NULL, '{');
    json_text(json, "record", "clock");
    json_text(json, "phase", after ? "after" : "before");
    json_text(json, "method", session->synchroniser->name);
    json_text(json, "estimator", session->estimator->name);
    json_integer(json, "duration_ns", session->synchronisation_ns);
    json_integer(json, "exchanges", exchanges);
    json_integers(json, "ranks", verification->ranks, count);
    json_integers(json, "offset_ns", offset_ns, count);
    json_integers(json, "bound_ns", after ? verification->bound_ns : bound_ns, count);
    json_integers(json, "error_ns", verification->error_ns, count);
    json_integers(json, "error_bound_ns", verification->bound_ns, count);
    json_close(json, '}');
}
