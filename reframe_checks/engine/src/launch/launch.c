/* SPDX-License-Identifier: BSD-3-Clause */
/* launch.c: one launch, step by step (see launch.h). */
#include "launch/launch.h"

#include "base/output.h"
#include "first/first_call.h"
#include "launch/launch_rows.h"
#include "machine/team_agree.h"
#include "machine/team_talk.h"
#include "measure/cost.h"
#include "measure/judge.h"
#include "memory/memory_record.h"
#include "record/record_clock.h"
#include "record/record_header.h"
#include "record/record_measurement.h"
#include "session/session_open.h"
#include "session/session_resolve.h"

/* The results of a launch. Verdicts need the clocks' state after the runs, so rows are written at the end. */
struct launch {
    struct session *session;
    struct output output; /* on rank 0 */
    struct json json;
    struct launch_rows rows;
};

/*
 * A fault of the kinds usage, environment or check has been found by all, or by rank 0 on behalf of all: agree on it.
 * A system fault may be known to one process only, the others may be waiting in a collective call: no agreement.
 */
static int launch_settle(const struct launch *launch, struct fault *fault)
{
    if (fault->code == FAULT_SYSTEM)
        return (int)fault->code;
    return team_agree(&launch->session->team, fault);
}

static int launch_open_output(struct launch *launch, const char *path, struct fault *fault)
{
    if (launch->session->team.rank == 0)
        output_open(&launch->output, path, fault);
    return team_agree(&launch->session->team, fault);
}

static int launch_write_begin(struct launch *launch, int argc, char **argv, struct fault *fault)
{
    struct session *const session = launch->session;
    if (session->team.rank == 0) {
        record_header(session, argc, argv, &launch->json);
        output_record(&launch->output, &launch->json, fault);
    }
    if (session->options->memory && memory_record(&session->memory, &session->team, &session->environment,
                                                  session->simulated, &launch->json, fault))
        return (int)fault->code;
    if (session->team.rank == 0 && fault->code == FAULT_NONE) {
        if (session->options->memory)
            output_record(&launch->output, &launch->json, fault);
        record_clock(session, 0, false, &launch->json);
        output_record(&launch->output, &launch->json, fault);
    }
    return team_agree(&session->team, fault);
}

static void launch_write_clock(struct launch *launch, size_t epoch, bool after, struct fault *fault)
{
    record_clock(launch->session, epoch, after, &launch->json);
    output_record(&launch->output, &launch->json, fault);
}

/*
 * Each row between the clock records of the synchronisation that it was measured under last; the first of these records
 * is written already. Then what the engine adds.
 */
static void launch_write_rows(struct launch *launch, struct fault *fault)
{
    const struct session *const session = launch->session;
    struct measurement *const rows = launch->rows.rows;
    judge_rows(session, rows, launch->rows.count);
    cost_find(rows, launch->rows.count);
    for (size_t epoch = 0; epoch < session->epoch_count && fault->code == FAULT_NONE; epoch++) {
        if (epoch > 0)
            launch_write_clock(launch, epoch, false, fault);
        for (size_t r = 0; r < launch->rows.count && fault->code == FAULT_NONE; r++) {
            if (rows[r].epoch != epoch)
                continue;
            record_measurement(session, &rows[r], &launch->json);
            output_record(&launch->output, &launch->json, fault);
        }
        if (fault->code == FAULT_NONE)
            launch_write_clock(launch, epoch, true, fault);
    }
    overhead_judge(session, &launch->rows.overhead);
    record_overhead(session, &launch->rows.overhead.row, &launch->json);
    if (fault->code == FAULT_NONE)
        output_record(&launch->output, &launch->json, fault);
}

/* The file is complete also when data were wrong: the rows say where. */
static void launch_report_wrong_data(const struct launch *launch, struct fault *fault)
{
    for (size_t r = 0; r < launch->rows.count; r++) {
        const struct measurement *const row = &launch->rows.rows[r];
        if (row->check.wrong)
            fault_set(fault, FAULT_CHECK,
                      "wrong data: %s of %lld bytes: rank %d element %lld: "
                      "%.9g expected, %.9g found",
                      row->operation->name, (long long)row->bytes, row->check.rank, (long long)row->check.element,
                      row->check.expected, row->check.found);
    }
}

/*
 * What became of the readings of the weather. On a simulated machine, whose cost a planner estimates, all processes add
 * up what the engine did to it.
 */
static int launch_end(const struct launch *launch, int64_t begin_ns, struct output_footer *footer, struct fault *fault)
{
    const struct session *const session = launch->session;
    int64_t words[2] = {session->traffic.messages, session->traffic.mapped_bytes};
    *footer = (struct output_footer){.elapsed_ns = clock_now(&session->clock) - begin_ns};
    if (session->weather != NULL && weather_end(session->weather, &session->team, fault))
        return (int)fault->code;
    footer->network = session->weather != NULL && session->weather->network.way == NETWORK_UDP;
    footer->network_lost = footer->network ? session->weather->network.lost : 0;
    if (!session->simulated)
        return 0;
    if (team_sum(&session->team, words, 2, fault))
        return (int)fault->code;
    footer->counted = true;
    footer->own_messages = words[0];
    footer->mapped_bytes = words[1];
    return 0;
}

static int launch_write_end(struct launch *launch, int64_t begin_ns, struct fault *fault)
{
    const struct session *const session = launch->session;
    struct output_footer footer;
    if (launch_end(launch, begin_ns, &footer, fault))
        return (int)fault->code;
    if (session->team.rank == 0) {
        launch_write_rows(launch, fault);
        if (fault->code == FAULT_NONE && output_finish(&launch->output, &footer, fault) == 0)
            launch_report_wrong_data(launch, fault);
    }
    return team_agree(&session->team, fault);
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
    if (session->first != NULL && first_call_gather(session, fault))
        return;
    const int64_t begin_ns = clock_now(&session->clock);
    if (launch_write_begin(launch, argc, argv, fault) || launch_rows_list(session, &launch->rows, fault) ||
        launch_rows_measure(session, &launch->rows, fault))
        return;
    if (session->watch != NULL && session->team.rank == 0)
        watch_remember(session->watch);
    launch_write_end(launch, begin_ns, fault);
}

int launch_run(struct session *session, const struct options *options, int argc, char **argv, struct fault *fault)
{
    struct launch launch = {.session = session, .output = {.descriptor = -1}};
    /* Done already where the first call had to come first. */
    if (session->options != NULL || session_resolve(session, options, fault) == 0)
        session_locate(session, fault);
    if (fault->code == FAULT_NONE && session_check_types(session, fault) == 0)
        session_arrange(session, fault);
    if (launch_settle(&launch, fault))
        return (int)fault->code;
    launch_steps(&launch, argc, argv, fault);
    output_discard(&launch.output);
    launch_rows_free(session, &launch.rows);
    json_free(&launch.json);
    return (int)fault->code;
}
