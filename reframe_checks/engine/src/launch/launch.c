/* SPDX-License-Identifier: BSD-3-Clause */
/* launch.c: one launch, step by step (see launch.h). */
#include "launch/launch.h"

#include "base/output.h"
#include "first/first_call.h"
#include "machine/team_agree.h"
#include "machine/team_talk.h"
#include "measure/cost.h"
#include "measure/judge.h"
#include "measure/measurement_run.h"
#include "memory/memory_record.h"
#include "record/record_clock.h"
#include "record/record_header.h"
#include "record/record_measurement.h"
#include "session/session_clock.h"
#include "session/session_open.h"
#include "session/session_resolve.h"

#include <stdlib.h>

/* The results of a launch. Verdicts need the clocks' state after the runs, so rows are written at the end. */
struct launch {
    struct session *session;
    struct output output; /* on rank 0 */
    struct json json;
    struct measurement *rows;
    size_t row_count;
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

/* The slot of a row's last batch; without slots, the last run. Known to rank 0. */
static int64_t launch_slot(const struct measurement *row)
{
    return row->slot_ns > 0 || row->runs == 0 ? row->slot_ns : row->time_ns[row->runs - 1];
}

/* The next row to fill. Processes other than rank 0 have one for all, as results are on rank 0 alone. */
static struct measurement *launch_next_row(struct launch *launch)
{
    if (launch->session->team.rank != 0 && launch->row_count > 0)
        measurement_free(&launch->rows[--launch->row_count]);
    return &launch->rows[launch->row_count++];
}

static int launch_open_rows(struct launch *launch, struct fault *fault)
{
    const struct session *const session = launch->session;
    const size_t sizes = session->options->sizes.count;
    const size_t most = session->team.rank == 0 ? session->operations.count * (sizes > 0 ? sizes : 1) : 1;
    launch->rows = calloc(most, sizeof *launch->rows);
    if (launch->rows == NULL)
        fault_set(fault, FAULT_SYSTEM, "out of memory for %zu rows", most);
    return team_agree(&session->team, fault);
}

static int launch_measure(struct launch *launch, struct fault *fault)
{
    struct session *const session = launch->session;
    const struct sizes *const sizes = &session->options->sizes;
    if (launch_open_rows(launch, fault))
        return (int)fault->code;
    for (size_t o = 0; o < session->operations.count; o++) {
        const struct operation *const operation = &session->operations.items[o];
        const bool no_data = operation->shape == OPERATION_NO_DATA;
        for (size_t s = 0; s < (no_data ? 1 : sizes->count); s++) {
            if (launch->row_count > 0 &&
                session_refresh(session, launch_slot(&launch->rows[launch->row_count - 1]), fault))
                return (int)fault->code;
            if (measurement_run(session, operation, no_data ? 0 : sizes->bytes[s], launch_next_row(launch), fault))
                return (int)fault->code;
        }
    }
    return session_verify(session, fault);
}

static void launch_write_clock(struct launch *launch, size_t epoch, bool after, struct fault *fault)
{
    record_clock(launch->session, epoch, after, &launch->json);
    output_record(&launch->output, &launch->json, fault);
}

/* Rows and clocks in the order of time; the first clock record is written already. */
static void launch_write_rows(struct launch *launch, struct fault *fault)
{
    size_t epoch = 0;
    judge_rows(launch->session, launch->rows, launch->row_count);
    cost_find(launch->rows, launch->row_count);
    for (size_t r = 0; r < launch->row_count && fault->code == FAULT_NONE; r++) {
        for (; epoch < launch->rows[r].epoch; epoch++) {
            launch_write_clock(launch, epoch, true, fault);
            launch_write_clock(launch, epoch + 1, false, fault);
        }
        record_measurement(launch->session, &launch->rows[r], &launch->json);
        output_record(&launch->output, &launch->json, fault);
    }
    if (fault->code == FAULT_NONE)
        launch_write_clock(launch, epoch, true, fault);
}

/* The file is complete also when data were wrong: the rows say where. */
static void launch_report_wrong_data(const struct launch *launch, struct fault *fault)
{
    for (size_t r = 0; r < launch->row_count; r++)
        if (launch->rows[r].check.wrong)
            fault_set(fault, FAULT_CHECK,
                      "wrong data: %s of %lld bytes: rank %d element %lld: "
                      "%.9g expected, %.9g found",
                      launch->rows[r].operation->name, (long long)launch->rows[r].bytes, launch->rows[r].check.rank,
                      (long long)launch->rows[r].check.element, launch->rows[r].check.expected,
                      launch->rows[r].check.found);
}

/* On a simulated machine, whose cost a planner estimates, all processes add up what the engine did to it. */
static int launch_end(const struct launch *launch, int64_t begin_ns, struct output_footer *footer, struct fault *fault)
{
    const struct session *const session = launch->session;
    int64_t words[2] = {session->traffic.messages, session->traffic.mapped_bytes};
    *footer = (struct output_footer){.elapsed_ns = clock_now(&session->clock) - begin_ns};
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
    if (launch_write_begin(launch, argc, argv, fault) == 0 && launch_measure(launch, fault) == 0)
        launch_write_end(launch, begin_ns, fault);
}

int launch_run(struct session *session, const struct options *options, int argc, char **argv, struct fault *fault)
{
    struct launch launch = {.session = session, .output = {.descriptor = -1}};
    /* Done already where the first call had to come first. */
    if (session->options != NULL || session_resolve(session, options, fault) == 0)
        session_locate(session, fault);
    if (fault->code == FAULT_NONE)
        session_arrange(session, fault);
    if (launch_settle(&launch, fault))
        return (int)fault->code;
    launch_steps(&launch, argc, argv, fault);
    output_discard(&launch.output);
    for (size_t r = 0; r < launch.row_count; r++)
        measurement_free(&launch.rows[r]);
    free(launch.rows);
    json_free(&launch.json);
    return (int)fault->code;
}
