/* SPDX-License-Identifier: BSD-3-Clause */
/* overhead.c: the time that the engine adds (see overhead.h). */
#include "launch/overhead.h"

#include "measure/measure.h"
#include "measure/measurement.h"

/* Each simulated reading is an event of the simulation; without disturbances one repetition is enough. */
enum { OVERHEAD_REPS = 40, OVERHEAD_SIMULATED = 20, OVERHEAD_EXACT = 1 };

static int overhead_execute(struct call *call)
{
    (void)call;
    return MPI_SUCCESS;
}

static const struct operation OVERHEAD_EMPTY = {
    .name = "empty",
    .bytes_means = "none: returns immediately",
    .shape = OPERATION_NO_DATA,
    .known_time = true,
    .execute = overhead_execute,
};

/* Return the repetitions in total: a batch in each pass, and a minimum. */
static int64_t overhead_reps(const struct session *session)
{
    const int64_t batches = session->plan.passes * session->options->batch;
    if (session->simulated)
        return session_time_is_exact(session) ? OVERHEAD_EXACT : OVERHEAD_SIMULATED;
    return batches > OVERHEAD_REPS ? batches : OVERHEAD_REPS;
}

/*
 * Return the session with options for the empty operation: a fixed number of repetitions, no arrival pattern and no
 * data. Probes are neither read nor waited for: the pace of the other measurements must not change.
 */
static struct session overhead_session(const struct session *session, struct options *options)
{
    struct session adjusted = *session;
    const int64_t reps = overhead_reps(session);
    *options = *session->options;
    options->stop = STOP_REPS;
    options->min_valid = options->max_valid = reps;
    options->max_reps = 2 * reps;
    options->arrival = (struct arrival){.kind = ARRIVAL_NONE};
    options->in_place = options->large_counts = options->buffered_sends = options->overlap = false;
    options->check = options->per_rank = false;
    adjusted.options = options;
    adjusted.stop = stop_of(options->stop);
    adjusted.arrival_ns = 0;
    adjusted.probes = NULL;
    adjusted.monitor = NULL;
    return adjusted;
}

int overhead_measure(const struct session *session, struct measure_pass pass, struct overhead *overhead,
                     struct fault *fault)
{
    static const struct measurement_case EMPTY = {.operation = &OVERHEAD_EMPTY};
    struct options options;
    const struct session adjusted = overhead_session(session, &options);
    if (overhead->state.done)
        return 0;
    return measure_perform_pass(&adjusted, &EMPTY, pass, &overhead->state, &overhead->measurement, fault);
}

void overhead_summarise(const struct session *session, struct overhead *overhead)
{
    struct options options;
    const struct session adjusted = overhead_session(session, &options);
    measurement_summarise(&adjusted, &overhead->measurement, 1);
}

void overhead_free(struct overhead *overhead)
{
    measure_close(&overhead->state);
    measurement_free(&overhead->measurement);
}
