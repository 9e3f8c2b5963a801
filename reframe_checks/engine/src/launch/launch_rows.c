/* SPDX-License-Identifier: BSD-3-Clause */
/* launch_rows.c: passes over the rows of a launch (see launch_rows.h). */
#include "launch/launch_rows.h"

#include "machine/team_agree.h"
#include "machine/team_talk.h"
#include "session/session_clock.h"
#include "session/session_resolve.h"

#include <stdlib.h>

int launch_rows_list(const struct session *session, struct launch_rows *rows, struct fault *fault)
{
    const struct sizes *const sizes = &session->options->sizes;
    const size_t most = session->operations.count * (sizes->count > 0 ? sizes->count : 1);
    rows->cases = calloc(most, sizeof *rows->cases);
    rows->kept = calloc(session->plan.passes > 1 ? most : 1, sizeof *rows->kept);
    rows->rows = calloc(session->team.rank == 0 ? most : 1, sizeof *rows->rows);
    if (rows->cases == NULL || rows->kept == NULL || rows->rows == NULL)
        fault_set(fault, FAULT_SYSTEM, "out of memory for %zu rows", most);
    for (size_t o = 0; fault->code == FAULT_NONE && o < session->operations.count; o++) {
        const struct operation *const operation = &session->operations.items[o];
        const bool no_data = operation->shape == OPERATION_NO_DATA;
        for (size_t s = 0; s < (no_data ? 1 : sizes->count); s++)
            rows->cases[rows->case_count++] = (struct measurement_case){operation, no_data ? 0 : sizes->bytes[s]};
    }
    return team_agree(&session->team, fault);
}

/* What is kept of a row from pass to pass. */
static struct measure *launch_rows_kept(const struct session *session, const struct launch_rows *rows, size_t row)
{
    return &rows->kept[session->plan.passes > 1 ? row : 0];
}

/* The slot of a row's last batch; without slots, the last run. Known to rank 0. */
static int64_t launch_rows_slot(const struct measurement *row)
{
    return row->slot_ns > 0 || row->runs == 0 ? row->slot_ns : row->time_ns[row->runs - 1];
}

/* One pass over one row. Processes other than rank 0 have one row for all, as results are on rank 0 alone. */
static int launch_rows_visit(struct session *session, struct launch_rows *rows, size_t row, struct measure_pass pass,
                             struct fault *fault)
{
    const bool root = session->team.rank == 0;
    struct measurement *const result = &rows->rows[root ? row : 0];
    struct measure *const kept = launch_rows_kept(session, rows, row);
    if (!root)
        measurement_free(result);
    rows->count = root && row >= rows->count ? row + 1 : rows->count > 0 ? rows->count : 1;
    if (measurement_run(session, &rows->cases[row], pass, kept, result, fault))
        return (int)fault->code;
    if (kept->done) {
        measure_close(kept);
        *kept = (struct measure){.done = session->plan.passes > 1};
    }
    return 0;
}

/* One pass over all rows that have not got enough. Clocks are looked after before each but the first. */
static int launch_rows_pass(struct session *session, struct launch_rows *rows, struct measure_pass pass,
                            const struct measurement **before, struct fault *fault)
{
    const bool root = session->team.rank == 0;
    for (size_t r = 0; r < rows->case_count; r++) {
        if (launch_rows_kept(session, rows, r)->done)
            continue;
        if ((pass.number > 0 || r > 0) && session_refresh(session, root ? launch_rows_slot(*before) : 0, fault))
            return (int)fault->code;
        if (launch_rows_visit(session, rows, r, pass, fault))
            return (int)fault->code;
        *before = root ? &rows->rows[r] : NULL;
    }
    return 0;
}

/*
 * Every process waits by its own clock until the pass is to begin: no message is needed for that. The span has room for
 * as many passes as rows may have, so that those of a row that needs more runs are as far apart as the first ones.
 */
static void launch_rows_await(const struct session *session, int64_t pass, int64_t begin_ns)
{
    const double since_ns = 1e9 * session->options->pass_span * (double)pass / (double)session->plan.spread;
    if (pass < session->plan.spread)
        clock_wait(&session->clock, begin_ns + (int64_t)since_ns);
}

/* Whether a row needs another pass; known to all processes. */
static bool launch_rows_need_more(const struct launch_rows *rows)
{
    for (size_t r = 0; r < rows->case_count; r++)
        if (!rows->kept[r].done)
            return true;
    return false;
}

/* On rank 0: whether a row lags in the passes that all rows have. */
static bool launch_rows_lag(const struct session *session, const struct launch_rows *rows, int64_t pass)
{
    const struct stop_limits all = session_limits(session);
    const struct stop_limits share = stop_limits_in_pass(&all, pass, session->plan.passes);
    for (size_t r = 0; pass < session->plan.passes && r < rows->count; r++)
        if (rows->rows[r].missing == NULL && measure_lags(&rows->rows[r], &share))
            return true;
    return false;
}

/*
 * Collective: what follows a pass. Once a row lags the next one is the last: where every message waits for a turn of
 * the other process, the uncounted runs of each pass would last for minutes.
 */
static int launch_rows_next(const struct session *session, const struct launch_rows *rows, struct measure_pass *pass,
                            struct fault *fault)
{
    int64_t last = session->team.rank == 0 && launch_rows_lag(session, rows, pass->number);
    if (team_broadcast(&session->team, &last, 1, MPI_INT64_T, fault))
        return (int)fault->code;
    *pass = (struct measure_pass){pass->number + 1, last != 0};
    return 0;
}

int launch_rows_measure(struct session *session, struct launch_rows *rows, struct fault *fault)
{
    const int64_t begin_ns = clock_now(&session->clock);
    const struct measurement *before = NULL;
    struct measure_pass pass = {0, session->plan.passes == 1};
    for (;;) {
        launch_rows_await(session, pass.number, begin_ns);
        if (overhead_measure(session, pass, &rows->overhead, fault) ||
            launch_rows_pass(session, rows, pass, &before, fault))
            return (int)fault->code;
        if (pass.last || !launch_rows_need_more(rows))
            return session_verify(session, fault);
        if (launch_rows_next(session, rows, &pass, fault))
            return (int)fault->code;
    }
}

void launch_rows_free(const struct session *session, struct launch_rows *rows)
{
    for (size_t r = 0; r < rows->count; r++)
        measurement_free(&rows->rows[r]);
    for (size_t r = 0; rows->kept != NULL && r < rows->case_count; r++)
        measure_close(launch_rows_kept(session, rows, r));
    overhead_free(&rows->overhead);
    free(rows->cases);
    free(rows->kept);
    free(rows->rows);
}
