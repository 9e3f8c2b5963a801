/* SPDX-License-Identifier: BSD-3-Clause */
/* overhead.c: what the engine itself adds to a time (see overhead.h). */
#include "launch/overhead.h"

#include "measure/judge.h"
#include "measure/measurement_run.h"

/* Every simulated reading is an event of the simulation; where nothing disturbs it, one run says as much as many. */
enum { OVERHEAD_RUNS = 40, OVERHEAD_SIMULATED = 20, OVERHEAD_EXACT = 1 };

static int overhead_run(struct call *call)
{
    (void)call;
    return MPI_SUCCESS;
}

static const struct operation OVERHEAD_EMPTY = {
    .name = "empty",
    .bytes_means = "none: returns at once",
    .shape = OPERATION_NO_DATA,
    .known_time = true,
    .run = overhead_run,
};

/* A batch in each pass, and not too few in all. */
static int64_t overhead_reps(const struct session *session)
{
    const int64_t batches = session->plan.passes * session->options->batch;
    if (session->simulated)
        return session_time_is_exact(session) ? OVERHEAD_EXACT : OVERHEAD_SIMULATED;
    return batches > OVERHEAD_RUNS ? batches : OVERHEAD_RUNS;
}

/*
 * The session, but for what an empty operation has no use for: as many runs whatever rows need, all processes at once,
 * and no data. The weather is neither read nor waited for, as both would be missing from the rows' own account.
 */
static struct session overhead_session(const struct session *session, struct options *options)
{
    struct session own = *session;
    const int64_t runs = overhead_reps(session);
    *options = *session->options;
    options->stop = STOP_RUNS;
    options->min_valid = options->max_valid = runs;
    options->max_reps = 2 * runs;
    options->arrival = (struct arrival){.kind = ARRIVAL_NONE};
    options->in_place = options->large_counts = options->buffered_sends = options->overlap = false;
    options->check = options->per_rank = false;
    own.options = options;
    own.stop = stop_of(options->stop);
    own.arrival_ns = 0;
    own.weather = NULL;
    own.watch = NULL;
    return own;
}

int overhead_measure(const struct session *session, struct measure_pass pass, struct overhead *overhead,
                     struct fault *fault)
{
    static const struct measurement_case EMPTY = {.operation = &OVERHEAD_EMPTY};
    struct options options;
    const struct session own = overhead_session(session, &options);
    if (overhead->kept.done)
        return 0;
    return measurement_run(&own, &EMPTY, pass, &overhead->kept, &overhead->row, fault);
}

void overhead_judge(const struct session *session, struct overhead *overhead)
{
    struct options options;
    const struct session own = overhead_session(session, &options);
    judge_rows(&own, &overhead->row, 1);
}

void overhead_free(struct overhead *overhead)
{
    measure_close(&overhead->kept);
    measurement_free(&overhead->row);
}
