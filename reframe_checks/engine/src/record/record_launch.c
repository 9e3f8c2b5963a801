/* SPDX-License-Identifier: BSD-3-Clause */
/* record_launch.c: the header and the clock records (see record_launch.h). */
#include "record/record_launch.h"

#include "base/version.h"
#include "measure/startup.h"
#include "options/command_line.h"
#include "session/session_threads.h"
#include "turns/turn_log.h"

#include <math.h>
#include <stdio.h>

static const char *record_why_not(const struct session *session)
{
    if (session->probes != NULL)
        return "";
    return session->simulated ? "a simulated machine has no interference" : "--probes off";
}

/* Write the pairs of hosts that are read, the method, and why there are no datagrams. */
static void record_network(const struct probes *probes, struct json *json)
{
    const struct network none = network_none();
    const struct network *const network = probes == NULL ? &none : &probes->network;
    char why_not[160];
    network_explain(network, why_not, sizeof why_not);
    json_integer(json, "network_pairs", network->pairs);
    json_text(json, "network_by", NETWORK_METHODS[network->method]);
    json_text(json, "network_why_not", why_not);
}

/* Write the member "probes": whether probes are read, why not, and their reference. */
static void record_probes(const struct session *session, struct json *json)
{
    const struct probes *const probes = session->probes;
    json_open(json, "probes", '{');
    json_boolean(json, "read", probes != NULL);
    json_text(json, "why_not", record_why_not(session));
    json_integer(json, "cache_line_pairs", probes == NULL ? 0 : probes->pairs);
    record_network(probes, json);
    json_boolean(json, "gates", session->monitor != NULL);
    json_real(json, "earlier_line_ns", session->monitor == NULL ? NAN : session->monitor->history.line_ns);
    json_open(json, "reference", '{');
    for (int kind = 0; probes != NULL && kind < READING_KINDS; kind++)
        json_real(json, READING_NAMES[kind], probes->reference.value[kind]);
    json_close(json, '}');
    json_close(json, '}');
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

static void record_timer(const struct session *session, struct json *json)
{
    const struct timer_quality *const quality = &session->calibration.timer;
    json_open(json, "timer", '{');
    json_text(json, "name", TIMER_NAMES[session->options->timer]);
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

/* Write the order of the ranks in the measured communicator and their arrivals; null for the defaults. */
static void record_arrangement(const struct session *session, struct json *json)
{
    const struct options *const options = session->options;
    if (options->rank_order.kind == RANK_ORDER_IDENTITY)
        json_null(json, "rank_order");
    else
        json_integers(json, "rank_order", session->process, (size_t)session->team.size);
    if (json_open_if(json, "arrival_ns", '[', !arrival_is_none(&options->arrival))) {
        for (int rank = 0; rank < session->team.size; rank++)
            json_integer(json, NULL, arrival_offset(&options->arrival, rank, session->team.size));
        json_close(json, ']');
    }
    json_integer(json, "cache_bytes", (int64_t)session->cache_bytes);
}

/* Write a step of the start over all processes. */
static void record_startup_step(const struct startup *startup, enum startup_step step, const char *key,
                                struct json *json)
{
    const struct startup_spread *const spread = &startup->spreads[step];
    json_open(json, key, '{');
    json_integer(json, "min_ns", spread->min_ns);
    json_real(json, "median_ns", spread->median_ns);
    json_integer(json, "max_ns", spread->max_ns);
    json_integer(json, "all_ns", spread->all_ns);
    json_close(json, '}');
}

/* Write the start of the launch; null if it was not timed. */
static void record_startup(const struct startup *startup, struct json *json)
{
    if (!json_open_if(json, "startup", '{', startup->complete))
        return;
    if (startup->all_loaded)
        record_startup_step(startup, STARTUP_LOAD, "loading", json);
    else
        json_null(json, "loading");
    record_startup_step(startup, STARTUP_INIT, "init", json);
    record_startup_step(startup, STARTUP_MESSAGE, "first_message", json);
    record_startup_step(startup, STARTUP_BARRIER, "first_barrier", json);
    json_close(json, '}');
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
    json_now(json, "started_at");
    json_open(json, "command", '[');
    for (int i = 0; i < argc; i++)
        json_text(json, NULL, argv[i]);
    json_close(json, ']');
    record_options(session, json);
    json_pairs(json, "launch", session->options->launch.texts, session->options->launch.count);
    json_text(json, "mpi_library_version", library);
    json_text(json, "mpi_standard", standard);
    json_text(json, "compiler", ENGINE_COMPILER);
    json_integer(json, "processes", session->team.size);
    environment_write(&session->environment, json);
    record_timer(session, json);
    record_arrangement(session, json);
    json_boolean(json, "simulated", session->simulated);
    json_text(json, "thread_level", session_thread_level(session->thread_level));
    if (session->options->threads == 0)
        json_null(json, "threads_pinned");
    else
        json_boolean(json, "threads_pinned", session->processors != NULL);
    record_probes(session, json);
    record_startup(session->startup, json);
    const bool all_began = session->startup->complete && session->startup->all_loaded;
    json_integer_if(json, "processes_began_ns", session->startup->began_ns, all_began);
    turn_plan_write(session->resident, session->options->turn_passes, json);
    json_close(json, '}');
}

/* Write the models of the verified ranks. */
static void record_models(const struct epoch *epoch, const struct verification *verification, struct json *json)
{
    enum { LIMIT = VERIFICATION_RANKS + 1 };
    const size_t count = (size_t)verification->count;
    int64_t x0_ns[LIMIT], offset_ns[LIMIT];
    double offset_se_ns[LIMIT], slope_ppm[LIMIT], slope_se_ppm[LIMIT];
    for (size_t i = 0; i < count; i++) {
        const struct synchronisation *const rank = &epoch->ranks[verification->ranks[i]];
        x0_ns[i] = rank->model.x0_ns;
        offset_ns[i] = rank->model.offset_ns;
        offset_se_ns[i] = rank->offset_se_ns;
        slope_ppm[i] = 1e6 * rank->model.slope;
        slope_se_ppm[i] = 1e6 * rank->slope_se;
    }
    json_integers(json, "x0_ns", x0_ns, count);
    json_integers(json, "offset_ns", offset_ns, count);
    json_reals(json, "offset_se_ns", offset_se_ns, count);
    json_reals(json, "slope_ppm", slope_ppm, count);
    json_reals(json, "slope_se_ppm", slope_se_ppm, count);
}

/* With synthetic clocks: write the true error and the stated bound of every rank. */
static void record_truth(const struct epoch_state *state, int processes, struct json *json)
{
    if (state->truth_ns == NULL)
        return;
    json_open(json, "truth", '{');
    json_integers(json, "error_ns", state->truth_ns, (size_t)processes);
    json_integers(json, "bound_ns", state->bound_ns, (size_t)processes);
    json_close(json, '}');
}

void record_clock(const struct session *session, size_t number, bool after, struct json *json)
{
    const struct epoch *const epoch = &session->epochs[number];
    const struct epoch_state *const state = after ? &epoch->after : &epoch->before;
    const struct verification *const verification = &state->verification;
    const size_t count = (size_t)verification->count;
    int64_t bound_ns[VERIFICATION_RANKS + 1];
    int64_t exchanges = 0;
    for (int rank = 0; rank < session->team.size; rank++)
        exchanges += epoch->ranks[rank].exchanges;
    for (size_t i = 0; i < count; i++)
        bound_ns[i] = state->bound_ns[verification->ranks[i]];
    json_open(json, NULL, '{');
    json_text(json, "record", "clock");
    json_text(json, "phase", after ? "after" : "before");
    json_integer(json, "epoch", (int64_t)number);
    json_text(json, "method", SYNC_NAMES[session->options->clock_sync]);
    json_text(json, "estimator", ESTIMATOR_NAMES[session->options->offset]);
    json_boolean(json, "by_node", epoch->by_node);
    json_integer(json, "begin_ns", epoch->begin_ns);
    json_integer(json, "duration_ns", epoch->duration_ns);
    json_integer(json, "exchanges", exchanges);
    json_integers(json, "ranks", verification->ranks, count);
    record_models(epoch, verification, json);
    json_integers(json, "bound_ns", bound_ns, count);
    json_integers(json, "error_ns", verification->error_ns, count);
    json_integers(json, "error_bound_ns", verification->bound_ns, count);
    record_truth(state, session->team.size, json);
    json_close(json, '}');
}
