/* SPDX-License-Identifier: BSD-3-Clause */
/* launch.c: one launch, step by step (see launch.h). */
#include "launch/launch.h"

#include "base/output.h"
#include "first/first_call.h"
#include "launch/overhead.h"
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
    struct measurement_case *cases;
    size_t case_count;
    struct measure *measures; /* what rows keep from pass to pass, on every process; with one pass, of one row */
    struct measurement *rows;
    size_t row_count;
    struct overhead overhead;
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

/* All cases in their order. */
static int launch_list_cases(struct launch *launch, struct fault *fault)
{
    const struct session *const session = launch->session;
    const struct sizes *const sizes = &session->options->sizes;
    const size_t most = session->operations.count * (sizes->count > 0 ? sizes->count : 1);
    const size_t kept = session->passes > 1 ? most : 1;
    launch->cases = calloc(most, sizeof *launch->cases);
    launch->measures = calloc(kept, sizeof *launch->measures);
    launch->rows = calloc(session->team.rank == 0 ? most : 1, sizeof *launch->rows);
    if (launch->cases == NULL || launch->measures == NULL || launch->rows == NULL)
        fault_set(fault, FAULT_SYSTEM, "out of memory for %zu rows", most);
    for (size_t o = 0; fault->code == FAULT_NONE && o < session->operations.count; o++) {
        const struct operation *const operation = &session->operations.items[o];
        const bool no_data = operation->shape == OPERATION_NO_DATA;
        for (size_t s = 0; s < (no_data ? 1 : sizes->count); s++)
            launch->cases[launch->case_count++] = (struct measurement_case){operation, no_data ? 0 : sizes->bytes[s]};
    }
    return team_agree(&session->team, fault);
}

/* One pass over one row. Processes other than rank 0 have one row for all, as results are on rank 0 alone. */
static int launch_measure_row(struct launch *launch, size_t row, int64_t pass, struct fault *fault)
{
    struct session *const session = launch->session;
    const bool root = session->team.rank == 0, once = session->passes == 1;
    struct measurement *const result = &launch->rows[root ? row : 0];
    struct measure *const kept = &launch->measures[once ? 0 : row];
    if (!root)
        measurement_free(result);
    launch->row_count = root && row >= launch->row_count ? row + 1 : launch->row_count > 0 ? launch->row_count : 1;
    if (measurement_run(session, &launch->cases[row], pass, kept, result, fault))
        return (int)fault->code;
    if (pass == session->passes - 1) {
        measure_close(kept);
        *kept = (struct measure){0};
    }
    return 0;
}

/* Every process waits by its own clock until the pass is to begin: no message is needed for that. */
static void launch_await_pass(const struct session *session, int64_t pass, int64_t begin_ns)
{
    const struct options *const options = session->options;
    const double since_ns = 1e9 * options->pass_span * (double)pass / (double)session->passes;
    clock_wait(&session->clock, begin_ns + (int64_t)since_ns);
}

/* On rank 0: whether a row has not got its share of valid runs in the passes so far. */
static bool launch_lags(const struct launch *launch, int64_t pass)
{
    const struct session *const session = launch->session;
    const struct stop_limits all = session_limits(session);
    const struct stop_limits share = stop_limits_in_pass(&all, pass, session->passes);
    for (size_t r = 0; r < launch->row_count; r++)
        if (launch->rows[r].missing == NULL && (int64_t)measurement_valid(&launch->rows[r]) < share.min_valid)
            return true;
    return false;
}

/*
 * Collective: goes on to the next pass. Once a row lags it is the last one: where every message waits for a turn of the
 * other process, the uncounted runs of each pass would last for minutes.
 */
static int launch_next_pass(const struct launch *launch, int64_t *pass, struct fault *fault)
{
    const struct session *const session = launch->session;
    const int64_t last = session->passes - 1;
    if (*pass < last - 1 && session->team.rank == 0 && launch_lags(launch, *pass))
        *pass = last - 1;
    if (*pass < last && team_broadcast(&session->team, pass, 1, MPI_INT64_T, fault))
        return (int)fault->code;
    ++*pass;
    return 0;
}

static int launch_measure(struct launch *launch, struct fault *fault)
{
    struct session *const session = launch->session;
    const bool root = session->team.rank == 0;
    if (launch_list_cases(launch, fault))
        return (int)fault->code;
    const int64_t begin_ns = clock_now(&session->clock);
    const struct measurement *before = NULL;
    for (int64_t pass = 0; pass < session->passes;) {
        launch_await_pass(session, pass, begin_ns);
        if ((pass > 0 && session_refresh(session, root ? launch_slot(before) : 0, fault)) ||
            overhead_measure(session, pass, &launch->overhead, fault))
            return (int)fault->code;
        for (size_t r = 0; r < launch->case_count; r++) {
            if (r > 0 && session_refresh(session, root ? launch_slot(before) : 0, fault))
                return (int)fault->code;
            if (launch_measure_row(launch, r, pass, fault))
                return (int)fault->code;
            before = root ? &launch->rows[r] : NULL;
        }
        if (launch_next_pass(launch, &pass, fault))
            return (int)fault->code;
    }
    return session_verify(session, fault);
}

static void launch_write_clock(struct launch *launch, size_t epoch, bool after, struct fault *fault)
{
    record_clock(launch->session, epoch, after, &launch->json);
    output_record(&launch->output, &launch->json, fault);
}

/* Rows and clocks in the order of time, the first clock record being written already; then what the engine adds. */
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
    overhead_judge(launch->session, &launch->overhead);
    record_overhead(launch->session, &launch->overhead.row, &launch->json);
    if (fault->code == FAULT_NONE)
        output_record(&launch->output, &launch->json, fault);
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
    if (launch_write_begin(launch, argc, argv, fault) || launch_measure(launch, fault))
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
    for (size_t r = 0; r < launch.row_count; r++)
        measurement_free(&launch.rows[r]);
    for (size_t r = 0; launch.measures != NULL && r < launch.case_count; r++)
        measure_close(&launch.measures[session->passes > 1 ? r : 0]);
    overhead_free(&launch.overhead);
    free(launch.cases);
    free(launch.measures);
    free(launch.rows);
    json_free(&launch.json);
    return (int)fault->code;
}
