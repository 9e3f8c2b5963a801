/* SPDX-License-Identifier: BSD-3-Clause */
/* launch.c: all measurements of a launch, and the output file (see launch.h). */
#include "launch/launch.h"

#include "base/activity.h"
#include "base/output.h"
#include "launch/measurement_list.h"
#include "launch/overhead.h"
#include "launch/passes.h"
#include "launch/rounds.h"
#include "machine/memory.h"
#include "machine/team.h"
#include "measure/first_call.h"
#include "measure/measurement.h"
#include "measure/startup.h"
#include "record/record_launch.h"
#include "record/record_measurement.h"
#include "record/record_turns.h"
#include "session/session.h"
#include "session/session_clock.h"
#include "session/session_open.h"

/* A launch. Verdicts need the last verification of the clocks, so measurements are written at the end. */
struct launch {
    struct session *session;
    struct launch_file *file;
    struct json json;
    struct measurement_list list;
    struct overhead overhead;
    struct rounds rounds; /* in turns */
};

/*
 * A usage, environment or check fault has been found by all processes, or by rank 0 on their behalf: agree on it. A
 * system fault, or a lost turn, may concern one process only, while others wait in a collective call: no agreement.
 */
static int launch_settle(const struct launch *launch, struct fault *fault)
{
    if (fault->code == FAULT_SYSTEM || fault->code == FAULT_TURN)
        return (int)fault->code;
    return team_agree(&launch->session->team, fault);
}

static int launch_open_output(struct launch *launch, const char *path, struct fault *fault)
{
    if (launch->session->team.rank == 0)
        output_open(&launch->file->output, path, fault);
    return team_agree(&launch->session->team, fault);
}

static int launch_write_begin(struct launch *launch, int argc, char **argv, struct fault *fault)
{
    struct session *const session = launch->session;
    if (session->team.rank == 0) {
        record_header(session, argc, argv, &launch->json);
        output_record(&launch->file->output, &launch->json, fault);
    }
    if (session->options->memory && memory_record(&session->memory, &session->team, &session->environment,
                                                  session->simulated, &launch->json, fault))
        return (int)fault->code;
    if (session->team.rank == 0 && fault->code == FAULT_NONE) {
        if (session->options->memory)
            output_record(&launch->file->output, &launch->json, fault);
        record_clock(session, 0, false, &launch->json);
        output_record(&launch->file->output, &launch->json, fault);
    }
    return team_agree(&session->team, fault);
}

static void launch_write_clock(struct launch *launch, size_t epoch, bool after, struct fault *fault)
{
    record_clock(launch->session, epoch, after, &launch->json);
    output_record(&launch->file->output, &launch->json, fault);
}

static void launch_summarise(const struct session *session, struct measurement_list *list)
{
    measurement_summarise(session, list->measurements, list->count);
    measurement_find_costs(list->measurements, list->count);
}

/* Write the measurements whose last epoch it is. */
static void launch_write_list(struct launch *launch, const struct measurement_list *list, const char *name,
                              size_t epoch, struct fault *fault)
{
    for (size_t i = 0; i < list->count && fault->code == FAULT_NONE; i++) {
        if (list->measurements[i].epoch != epoch)
            continue;
        record_measurement(launch->session, name, &list->measurements[i], &launch->json);
        output_record(&launch->file->output, &launch->json, fault);
    }
}

/*
 * Write each measurement between the clock records of its last epoch, the first of which is written already; then the
 * overhead.
 */
static void launch_write_measurements(struct launch *launch, struct fault *fault)
{
    const struct session *const session = launch->session;
    launch_summarise(session, &launch->list);
    launch_summarise(session, &launch->rounds.solo);
    for (size_t epoch = 0; epoch < session->epoch_count && fault->code == FAULT_NONE; epoch++) {
        if (epoch > 0)
            launch_write_clock(launch, epoch, false, fault);
        launch_write_list(launch, &launch->list, "measurement", epoch, fault);
        launch_write_list(launch, &launch->rounds.solo, "solo_measurement", epoch, fault);
        if (fault->code == FAULT_NONE)
            launch_write_clock(launch, epoch, true, fault);
    }
    overhead_summarise(session, &launch->overhead);
    record_overhead(session, &launch->overhead.measurement, &launch->json);
    if (fault->code == FAULT_NONE)
        output_record(&launch->file->output, &launch->json, fault);
}

static void launch_write_turns(struct launch *launch, struct fault *fault)
{
    const struct rounds *const rounds = &launch->rounds;
    const struct record_turns turns = {
        .cases = launch->list.cases,
        .case_count = launch->list.case_count,
        .log = &rounds->log,
        .solo = rounds->solo.count > 0 ? &rounds->solo_log : NULL,
        .company = rounds->company,
    };
    if (launch->session->resident == NULL || fault->code != FAULT_NONE)
        return;
    record_turns(launch->session, &turns, &launch->json);
    output_record(&launch->file->output, &launch->json, fault);
}

/* The file is complete even if data were wrong: the records state where. */
static void launch_report_wrong_data(const struct measurement_list *list, struct fault *fault)
{
    for (size_t r = 0; r < list->count; r++) {
        const struct measurement *const measurement = &list->measurements[r];
        if (measurement->check.wrong)
            fault_set(fault, FAULT_CHECK,
                      "wrong data: %s of %lld bytes: rank %d element %lld: "
                      "%.9g expected, %.9g found",
                      measurement->operation->name, (long long)measurement->bytes, measurement->check.rank,
                      (long long)measurement->check.element, measurement->check.expected, measurement->check.actual);
    }
}

/*
 * Fill the footer: abandoned probes, and on a simulated machine, for the planner's estimates, the engine's load, summed
 * over all processes.
 */
static int launch_end(const struct launch *launch, int64_t begin_ns, struct output_footer *footer, struct fault *fault)
{
    const struct session *const session = launch->session;
    int64_t counts[2] = {session->traffic.messages, session->traffic.mapped_bytes};
    *footer = (struct output_footer){.elapsed_ns = clock_now(&session->clock) - begin_ns};
    if (session->probes != NULL && probes_end(session->probes, &session->team, fault))
        return (int)fault->code;
    footer->network = session->probes != NULL && session->probes->network.method == NETWORK_UDP;
    footer->network_lost = footer->network ? session->probes->network.lost : 0;
    if (!session->simulated)
        return 0;
    if (team_sum(&session->team, counts, 2, fault))
        return (int)fault->code;
    footer->counted = true;
    footer->engine_messages = counts[0];
    footer->mapped_bytes = counts[1];
    return 0;
}

/* Write all but the footer. */
static int launch_write_end(struct launch *launch, int64_t begin_ns, struct fault *fault)
{
    const struct session *const session = launch->session;
    if (launch_end(launch, begin_ns, &launch->file->footer, fault))
        return (int)fault->code;
    if (session->team.rank == 0) {
        launch_write_measurements(launch, fault);
        launch_write_turns(launch, fault);
        launch->file->complete = fault->code == FAULT_NONE;
        if (launch->file->complete) {
            launch_report_wrong_data(&launch->list, fault);
            launch_report_wrong_data(&launch->rounds.solo, fault);
        }
    }
    return team_agree(&session->team, fault);
}

/* Collective: measure all cases, alone or in turns. */
static int launch_measure(struct launch *launch, struct fault *fault)
{
    struct session *const session = launch->session;
    return session->resident == NULL
               ? passes_measure(session, &launch->list, &launch->overhead, fault)
               : rounds_measure(session, &launch->list, &launch->overhead, &launch->rounds, fault);
}

/* A simulator has all processes in one. */
static int launch_watch(struct session *session, struct fault *fault)
{
    if (session->simulated || activity_open(session->team.rank, &session->activity, fault))
        return (int)fault->code;
    if (session->resident != NULL)
        session->resident->activity = session->activity;
    return 0;
}

/* End watching; a turn that is over its limit then tells no operation. */
static void launch_watch_no_more(struct session *session)
{
    if (session->resident != NULL)
        session->resident->activity = NULL;
    activity_close(session->activity);
    session->activity = NULL;
}

static void launch_steps(struct launch *launch, int argc, char **argv, struct fault *fault)
{
    struct session *const session = launch->session;
    if (launch_open_output(launch, session->options->output, fault))
        return;
    if (session_prepare(session, fault)) {
        launch_settle(launch, fault);
        return;
    }
    if ((session->first != NULL && first_call_gather(session, fault)) || startup_gather(session, fault))
        return;
    const int64_t begin_ns = clock_now(&session->clock);
    if (launch_write_begin(launch, argc, argv, fault) || launch_watch(session, fault) ||
        measurement_list_open(session, session->plan.passes, &launch->list, fault) || launch_measure(launch, fault) ||
        session_verify(session, fault))
        return;
    if (session->monitor != NULL && session->team.rank == 0)
        regime_monitor_save(session->monitor);
    launch_write_end(launch, begin_ns, fault);
}

int launch_perform(struct session *session, const struct options *options, int argc, char **argv,
                   struct launch_file *file, struct fault *fault)
{
    struct launch launch = {.session = session, .file = file};
    /* With --first-call the session is resolved already. */
    if (session->options != NULL || session_resolve(session, options, fault) == 0)
        session_locate(session, fault);
    if (fault->code == FAULT_NONE && session_check_types(session, fault) == 0)
        session_arrange(session, fault);
    if (launch_settle(&launch, fault))
        return (int)fault->code;
    launch_steps(&launch, argc, argv, fault);
    launch_watch_no_more(session);
    if (!file->complete)
        output_discard(&file->output);
    measurement_list_free(&launch.list);
    overhead_free(&launch.overhead);
    rounds_free(&launch.rounds);
    json_free(&launch.json);
    return (int)fault->code;
}
