/* SPDX-License-Identifier: BSD-3-Clause */
/* launch.c: the passes over all measurements, and the output file (see launch.h). */
#include "launch/launch.h"

#include "base/output.h"
#include "launch/overhead.h"
#include "machine/memory.h"
#include "machine/team.h"
#include "measure/first_call.h"
#include "measure/measure.h"
#include "measure/measurement.h"
#include "record/record_launch.h"
#include "record/record_measurement.h"
#include "session/session.h"
#include "session/session_clock.h"
#include "session/session_open.h"

#include <stdlib.h>

/* All measurements of a launch. */
struct measurement_list {
    struct measurement_case *cases;
    size_t case_count;
    struct measure *states; /* from pass to pass, on every process; with a single pass, of one measurement at a time */
    struct measurement *measurements;
    size_t count; /* of measurements on rank 0; other processes have one for all */
    struct overhead overhead;
};

/* Collective: list all cases in their order. */
static int launch_list_cases(const struct session *session, struct measurement_list *list, struct fault *fault)
{
    const struct sizes *const sizes = &session->options->sizes;
    const size_t max = session->operations.count * (sizes->count > 0 ? sizes->count : 1);
    list->cases = calloc(max, sizeof *list->cases);
    list->states = calloc(session->plan.passes > 1 ? max : 1, sizeof *list->states);
    list->measurements = calloc(session->team.rank == 0 ? max : 1, sizeof *list->measurements);
    if (list->cases == NULL || list->states == NULL || list->measurements == NULL)
        fault_set(fault, FAULT_SYSTEM, "out of memory for %zu measurements", max);
    for (size_t o = 0; fault->code == FAULT_NONE && o < session->operations.count; o++) {
        const struct operation *const operation = &session->operations.items[o];
        const bool no_data = operation->shape == OPERATION_NO_DATA;
        for (size_t s = 0; s < (no_data ? 1 : sizes->count); s++)
            list->cases[list->case_count++] = (struct measurement_case){operation, no_data ? 0 : sizes->bytes[s]};
    }
    return team_agree(&session->team, fault);
}

/* Return the state of a measurement that is retained from pass to pass. */
static struct measure *launch_state(const struct session *session, const struct measurement_list *list, size_t i)
{
    return &list->states[session->plan.passes > 1 ? i : 0];
}

/* Rank 0: return the slot of the measurement's last batch; without slots, the time of the last repetition. */
static int64_t launch_last_slot(const struct measurement *measurement)
{
    return measurement->slot_ns > 0 || measurement->reps == 0 ? measurement->slot_ns
                                                              : measurement->time_ns[measurement->reps - 1];
}

/* One pass over one measurement. Results are on rank 0; other processes have one measurement for all. */
static int launch_measure_case(struct session *session, struct measurement_list *list, size_t i,
                               struct measure_pass pass, struct fault *fault)
{
    const bool root = session->team.rank == 0;
    struct measurement *const result = &list->measurements[root ? i : 0];
    struct measure *const state = launch_state(session, list, i);
    if (!root)
        measurement_free(result);
    list->count = root && i >= list->count ? i + 1 : list->count > 0 ? list->count : 1;
    if (measure_perform_pass(session, &list->cases[i], pass, state, result, fault))
        return (int)fault->code;
    if (state->done) {
        measure_close(state);
        *state = (struct measure){.done = session->plan.passes > 1};
    }
    return 0;
}

/* One pass over all incomplete measurements. Before each, except the first, the clocks are synchronised if needed. */
static int launch_measure_pass(struct session *session, struct measurement_list *list, struct measure_pass pass,
                               const struct measurement **previous, struct fault *fault)
{
    const bool root = session->team.rank == 0;
    for (size_t r = 0; r < list->case_count; r++) {
        if (launch_state(session, list, r)->done)
            continue;
        if ((pass.number > 0 || r > 0) && session_refresh(session, root ? launch_last_slot(*previous) : 0, fault))
            return (int)fault->code;
        if (launch_measure_case(session, list, r, pass, fault))
            return (int)fault->code;
        *previous = root ? &list->measurements[r] : NULL;
    }
    return 0;
}

/*
 * Every process waits by its own clock for the begin of the pass, without a message. The span is divided by all passes
 * that a measurement may need, so that further passes are spread as the first ones are.
 */
static void launch_await_pass(const struct session *session, int64_t pass, int64_t begin_ns)
{
    const double since_ns = 1e9 * session->options->pass_span * (double)pass / (double)session->plan.spread;
    if (pass < session->plan.spread)
        clock_wait(&session->clock, begin_ns + (int64_t)since_ns);
}

/* Return true if a measurement is incomplete; the same on all processes. */
static bool launch_needs_pass(const struct measurement_list *list)
{
    for (size_t r = 0; r < list->case_count; r++)
        if (!list->states[r].done)
            return true;
    return false;
}

/* Rank 0: return true if a measurement lags in the passes in which all take part. */
static bool launch_has_lag(const struct session *session, const struct measurement_list *list, int64_t pass)
{
    const struct stop_limits all = session_limits(session);
    const struct stop_limits share = stop_limits_in_pass(&all, pass, session->plan.passes);
    for (size_t r = 0; pass < session->plan.passes && r < list->count; r++)
        if (list->measurements[r].missing == NULL && measure_lags(&list->measurements[r], &share))
            return true;
    return false;
}

/*
 * Collective: set the next pass. If a measurement lags, it is the last: if every message waits for a time slice of the
 * other process, the uncounted repetitions of each pass would take minutes.
 */
static int launch_next_pass(const struct session *session, const struct measurement_list *list,
                            struct measure_pass *pass, struct fault *fault)
{
    int64_t last = session->team.rank == 0 && launch_has_lag(session, list, pass->number);
    if (team_broadcast(&session->team, &last, 1, MPI_INT64_T, fault))
        return (int)fault->code;
    *pass = (struct measure_pass){pass->number + 1, last != 0};
    return 0;
}

/* Collective: measure all cases. */
static int launch_measure_all(struct session *session, struct measurement_list *list, struct fault *fault)
{
    const int64_t begin_ns = clock_now(&session->clock);
    const struct measurement *previous = NULL;
    struct measure_pass pass = {0, session->plan.passes == 1};
    for (;;) {
        launch_await_pass(session, pass.number, begin_ns);
        if (overhead_measure(session, pass, &list->overhead, fault) ||
            launch_measure_pass(session, list, pass, &previous, fault))
            return (int)fault->code;
        if (pass.last || !launch_needs_pass(list))
            return session_verify(session, fault);
        if (launch_next_pass(session, list, &pass, fault))
            return (int)fault->code;
    }
}

static void launch_free_list(const struct session *session, struct measurement_list *list)
{
    for (size_t r = 0; r < list->count; r++)
        measurement_free(&list->measurements[r]);
    for (size_t r = 0; list->states != NULL && r < list->case_count; r++)
        measure_close(launch_state(session, list, r));
    overhead_free(&list->overhead);
    free(list->cases);
    free(list->states);
    free(list->measurements);
}

/* A launch. Verdicts need the last verification of the clocks, so measurements are written at the end. */
struct launch {
    struct session *session;
    struct output output; /* on rank 0 */
    struct json json;
    struct measurement_list list;
};

/*
 * A usage, environment or check fault has been found by all processes, or by rank 0 on their behalf: agree on it. A
 * system fault may have occurred on one process only, while others wait in a collective call: no agreement.
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
 * Write each measurement between the clock records of its last epoch, the first of which is written already; then the
 * overhead.
 */
static void launch_write_measurements(struct launch *launch, struct fault *fault)
{
    const struct session *const session = launch->session;
    struct measurement *const measurements = launch->list.measurements;
    measurement_summarise(session, measurements, launch->list.count);
    measurement_find_costs(measurements, launch->list.count);
    for (size_t epoch = 0; epoch < session->epoch_count && fault->code == FAULT_NONE; epoch++) {
        if (epoch > 0)
            launch_write_clock(launch, epoch, false, fault);
        for (size_t r = 0; r < launch->list.count && fault->code == FAULT_NONE; r++) {
            if (measurements[r].epoch != epoch)
                continue;
            record_measurement(session, &measurements[r], &launch->json);
            output_record(&launch->output, &launch->json, fault);
        }
        if (fault->code == FAULT_NONE)
            launch_write_clock(launch, epoch, true, fault);
    }
    overhead_summarise(session, &launch->list.overhead);
    record_overhead(session, &launch->list.overhead.measurement, &launch->json);
    if (fault->code == FAULT_NONE)
        output_record(&launch->output, &launch->json, fault);
}

/* The file is complete even if data were wrong: the records state where. */
static void launch_report_wrong_data(const struct launch *launch, struct fault *fault)
{
    for (size_t r = 0; r < launch->list.count; r++) {
        const struct measurement *const measurement = &launch->list.measurements[r];
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

static int launch_write_end(struct launch *launch, int64_t begin_ns, struct fault *fault)
{
    const struct session *const session = launch->session;
    struct output_footer footer;
    if (launch_end(launch, begin_ns, &footer, fault))
        return (int)fault->code;
    if (session->team.rank == 0) {
        launch_write_measurements(launch, fault);
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
    if (launch_write_begin(launch, argc, argv, fault) || launch_list_cases(session, &launch->list, fault) ||
        launch_measure_all(session, &launch->list, fault))
        return;
    if (session->monitor != NULL && session->team.rank == 0)
        regime_monitor_save(session->monitor);
    launch_write_end(launch, begin_ns, fault);
}

int launch_perform(struct session *session, const struct options *options, int argc, char **argv, struct fault *fault)
{
    struct launch launch = {.session = session, .output = {.descriptor = -1}};
    /* With --first-call the session is resolved already. */
    if (session->options != NULL || session_resolve(session, options, fault) == 0)
        session_locate(session, fault);
    if (fault->code == FAULT_NONE && session_check_types(session, fault) == 0)
        session_arrange(session, fault);
    if (launch_settle(&launch, fault))
        return (int)fault->code;
    launch_steps(&launch, argc, argv, fault);
    output_discard(&launch.output);
    launch_free_list(session, &launch.list);
    json_free(&launch.json);
    return (int)fault->code;
}
