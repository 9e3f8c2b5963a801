/* SPDX-License-Identifier: BSD-3-Clause */
/* passes.c: pass after pass, until all measurements are complete (see passes.h). */
#include "launch/passes.h"

#include "machine/team.h"
#include "session/session.h"

/* One pass over all incomplete measurements. */
static int passes_measure_one(struct session *session, struct measurement_list *list, struct measure_pass pass,
                              struct fault *fault)
{
    for (size_t i = 0; i < list->case_count; i++)
        if (measurement_list_measure(session, list, i, pass, fault))
            return (int)fault->code;
    return 0;
}

/*
 * Every process waits by its own clock for the begin of the pass, without a message. The span is divided by all passes
 * that a measurement may need, so that further passes are spread as the first ones are.
 */
static void passes_await(const struct session *session, int64_t pass, int64_t begin_ns)
{
    const double since_ns = 1e9 * session->options->pass_span * (double)pass / (double)session->plan.spread;
    if (pass < session->plan.spread)
        clock_wait(&session->clock, begin_ns + (int64_t)since_ns);
}

/* Return true if a measurement is incomplete; the same on all processes. */
static bool passes_needed(const struct measurement_list *list)
{
    for (size_t i = 0; i < list->case_count; i++)
        if (!list->states[i].done)
            return true;
    return false;
}

/* Rank 0: return true if a measurement lags in the passes in which all take part. */
static bool passes_have_lag(const struct session *session, const struct measurement_list *list, int64_t pass)
{
    for (size_t i = 0; pass < session->plan.passes && i < list->count; i++) {
        const struct stop_limits all = measurement_limits(session, &list->measurements[i]);
        const struct stop_limits share = stop_limits_in_pass(&all, pass, session->plan.passes);
        if (list->measurements[i].missing == NULL && measure_lags(&list->measurements[i], &share))
            return true;
    }
    return false;
}

/*
 * Collective: set the next pass. If a measurement lags, it is the last: if every message waits for a time slice of the
 * other process, the uncounted repetitions of each pass would take minutes.
 */
static int passes_next(const struct session *session, const struct measurement_list *list, struct measure_pass *pass,
                       struct fault *fault)
{
    int64_t last = session->team.rank == 0 && passes_have_lag(session, list, pass->number);
    if (team_broadcast(&session->team, &last, 1, MPI_INT64_T, fault))
        return (int)fault->code;
    *pass = (struct measure_pass){pass->number + 1, last != 0};
    return 0;
}

int passes_measure(struct session *session, struct measurement_list *list, struct overhead *overhead,
                   struct fault *fault)
{
    const int64_t begin_ns = clock_now(&session->clock);
    struct measure_pass pass = {0, session->plan.passes == 1};
    for (;;) {
        passes_await(session, pass.number, begin_ns);
        if (overhead_measure(session, pass, overhead, fault) || passes_measure_one(session, list, pass, fault))
            return (int)fault->code;
        if (pass.last || !passes_needed(list))
            return 0;
        if (passes_next(session, list, &pass, fault))
            return (int)fault->code;
    }
}
