/* SPDX-License-Identifier: BSD-3-Clause */
/* check_timers.c: --check-timer: a verdict on each timer on each host (see check_timers.h). */
#include "launch/check_timers.h"

#include "machine/team.h"
#include "session/session_open.h"
#include "timer/timer.h"
#include "timer/timer_check.h"

#include <stdio.h>
#include <stdlib.h>

/* One timer on one host. */
struct timer_result {
    struct timer_quality quality;
    char refusal[128]; /* why it cannot be used there; empty: it was tested */
};

/* Collective over the host: test the timer. */
static int timer_try_on_host(const struct session *session, const struct timer_kind *kind, struct timer_result *result,
                             struct fault *fault)
{
    struct team host = {.comm = session->environment.host, .measured = MPI_COMM_NULL};
    const char *const refusal = kind->refusal == NULL ? NULL : kind->refusal(session->simulated);
    struct fault refused = {0};
    struct timer timer;
    MPI_Comm_rank(host.comm, &host.rank);
    MPI_Comm_size(host.comm, &host.size);
    *result = (struct timer_result){0};
    if (timer_open(&timer, kind, session->simulated, &host, &refused) == 0)
        return timer_check(&timer, (struct timer_pair){0}, &host, &result->quality, fault);
    snprintf(result->refusal, sizeof result->refusal, "%s", refusal == NULL ? "by another process" : refusal);
    return 0;
}

/* Print the line of one host; return why the timer is unusable there, NULL if it is not. */
static const char *timer_print(const struct location *location, const struct timer_kind *kind,
                               const struct timer_result *result)
{
    const struct timer_quality *const quality = &result->quality;
    const bool tried = result->refusal[0] == '\0';
    const char *const defect = tried ? timer_defect(quality) : result->refusal;
    printf("%-20s %-12s %-14s ", location->host, location->clock_source, TIMER_NAMES[kind->choice]);
    if (tried)
        printf("%13.1f %8.1f %9.1f", quality->resolution_ns, quality->cost_ns, quality->rate_ppm);
    else
        printf("%13s %8s %9s", "-", "-", "-");
    if (defect != NULL)
        printf("  %s: %s\n", tried ? "unusable" : "refused", defect);
    else if (quality->cost_ns > 500.0)
        printf("  slow: reading it takes longer than short operations\n");
    else
        printf("  %s\n", quality->resolution_ns > 100.0 ? "coarse: short operations will be timer-limited" : "good");
    return defect;
}

/* Rank 0: print all hosts. A fault if the selected timer is unusable on one. */
static void timer_report(const struct session *session, const struct timer_kind *kind,
                         const struct timer_result *results, struct fault *fault)
{
    const struct environment *const environment = &session->environment;
    const bool is_selected = kind->choice == session->options->timer;
    for (int rank = 0; rank < environment->processes; rank++) {
        if (!environment_is_lowest(environment, rank))
            continue;
        const char *const defect = timer_print(&environment->locations[rank], kind, &results[rank]);
        if (defect != NULL && is_selected)
            fault_set(fault, FAULT_ENVIRONMENT, "--timer %s on %s: %s; take another timer", TIMER_NAMES[kind->choice],
                      environment->locations[rank].host, defect);
    }
}

static int timer_check_kind(const struct session *session, const struct timer_kind *kind, struct timer_result *results,
                            struct fault *fault)
{
    struct timer_result host_result;
    const int bytes = (int)sizeof host_result;
    if (timer_try_on_host(session, kind, &host_result, fault))
        return (int)fault->code;
    return team_gather(&session->team, &host_result, results, bytes, MPI_BYTE, fault);
}

int check_timers(struct session *session, const struct options *options, struct fault *fault)
{
    const bool prints = session->team.rank == 0;
    session->options = options;
    if (session_locate(session, fault))
        return team_agree(&session->team, fault);
    struct timer_result *const results = calloc((size_t)session->team.size, sizeof *results);
    if (results == NULL)
        return fault_set(fault, FAULT_SYSTEM, "out of memory for the timers of %d ranks", session->team.size);
    if (prints)
        printf("%-20s %-12s %-14s %13s %8s %9s  %s\n", "host", "clock source", "timer", "resolution_ns", "cost_ns",
               "rate_ppm", "verdict");
    struct fault defect = {0};
    for (enum timer_choice choice = TIMER_MPI_WTIME; choice <= TIMER_TSC && fault->code == FAULT_NONE; choice++) {
        const struct timer_kind *const kind = timer_of(choice);
        if (timer_check_kind(session, kind, results, fault) == 0 && prints)
            timer_report(session, kind, results, &defect);
    }
    free(results);
    fflush(stdout);
    if (fault->code == FAULT_NONE)
        *fault = defect;
    return fault->code == FAULT_SYSTEM ? (int)fault->code : team_agree(&session->team, fault);
}
