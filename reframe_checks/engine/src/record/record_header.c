/* SPDX-License-Identifier: BSD-3-Clause */
/* record_header.c: the record that describes a launch: the header (see record_header.h). */
#include "record/record_header.h"

#include "base/version.h"
#include "options/option_print.h"
#include "record/record_weather.h"

#include <stdio.h>
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
        json_text(json, NULL, session->operations.items[i].name);
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
    json_text(json, "name", TIMER_WORDS[session->options->timer]);
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
    if (options->rank_order.kind == RANK_ORDER_IDENTITY)
        json_null(json, "rank_order");
    else
        json_integers(json, "rank_order", session->process, (size_t)session->team.size);
    if (arrival_is_none(&options->arrival)) {
        json_null(json, "arrival_ns");
    } else {
        json_open(json, "arrival_ns", '[');
        for (int rank = 0; rank < session->team.size; rank++)
            json_integer(json, NULL, arrival_offset(&options->arrival, rank, session->team.size));
        json_close(json, ']');
    }
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
    record_weather(session, json);
    json_close(json, '}');
}
