/* SPDX-License-Identifier: BSD-3-Clause */
/* launch_timers.c: --check-timer, a verdict for each timer on each host before a campaign (see launch_timers.h). */
#include "launch/launch_timers.h"

#include "machine/team_agree.h"
#include "machine/team_talk.h"
#include "session/session_open.h"
#include "timer/timer_check.h"
#include "timer/timer_table.h"

#include <stdio.h>
#include <stdlib.h>

/* What the processes of one host together found of one timer. */
struct timer_finding {
    struct timer_quality quality;
    char refusal[128]; /* why it cannot be used there; empty: it was tried */
};

/* Collective over the host. */
static int timer_try_on_host(const struct session *session, const struct timer_kind *kind,
                             struct timer_finding *finding, struct fault *fault)
{
    struct team host = {.comm = session->environment.host, .measured = MPI_COMM_NULL};
    const char *const refusal = kind->refusal == NULL ? NULL : kind->refusal(session->simulated);
    struct fault refused = {0};
    struct timer timer;
    MPI_Comm_rank(host.comm, &host.rank);
    MPI_Comm_size(host.comm, &host.size);
    *finding = (struct timer_finding){0};
    if (timer_open(&timer, kind, session->simulated, &host, &refused) == 0)
        return timer_check(&timer, (struct timer_pair){0}, &host, &finding->quality, fault);
    snprintf(finding->refusal, sizeof finding->refusal, "%s", refusal == NULL ? "by another process" : refusal);
    return 0;
}

/* Prints the line of one host; returns why the timer is not reliable there, NULL when it can. */
static const char *timer_print(const struct place *place, const struct timer_kind *kind,
                               const struct timer_finding *finding)
{
    const struct timer_quality *const quality = &finding->quality;
    const bool tried = finding->refusal[0] == '\0';
    const char *const doubt = tried ? timer_doubt(quality) : finding->refusal;
    printf("%-20s %-12s %-14s ", place->host, place->clock_source, TIMER_WORDS[kind->choice]);
    if (tried)
        printf("%13.1f %8.1f %9.1f", quality->resolution_ns, quality->cost_ns, quality->rate_ppm);
    else
        printf("%13s %8s %9s", "-", "-", "-");
    if (doubt != NULL)
        printf("  %s: %s\n", tried ? "unusable" : "refused", doubt);
    else if (quality->cost_ns > 500.0)
        printf("  slow: reading it takes longer than short operations\n");
    else
        printf("  %s\n", quality->resolution_ns > 100.0 ? "coarse: short operations will be timer-limited" : "good");
    return doubt;
}

/* On rank 0: all hosts. A doubt about the timer that was asked for is a fault. */
static void timer_report(const struct session *session, const struct timer_kind *kind,
                         const struct timer_finding *findings, struct fault *fault)
{
    const struct environment *const environment = &session->environment;
    const bool asked = kind->choice == session->options->timer;
    for (int rank = 0; rank < environment->processes; rank++) {
        if (!environment_is_lowest(environment, rank))
            continue;
        const char *const doubt = timer_print(&environment->places[rank], kind, &findings[rank]);
        if (doubt != NULL && asked)
            fault_set(fault, FAULT_ENVIRONMENT, "--timer %s on %s: %s; take another timer", TIMER_WORDS[kind->choice],
                      environment->places[rank].host, doubt);
    }
}

static int timer_check_kind(const struct session *session, const struct timer_kind *kind,
                            struct timer_finding *findings, struct fault *fault)
{
    struct timer_finding own;
    const int bytes = (int)sizeof own;
    if (timer_try_on_host(session, kind, &own, fault))
        return (int)fault->code;
    return team_gather(&session->team, &own, findings, bytes, MPI_BYTE, fault);
}

int launch_check_timers(struct session *session, const struct options *options, struct fault *fault)
{
    const bool prints = session->team.rank == 0;
    session->options = options;
    if (session_locate(session, fault))
        return team_agree(&session->team, fault);
    struct timer_finding *const findings = calloc((size_t)session->team.size, sizeof *findings);
    if (findings == NULL)
        return fault_set(fault, FAULT_SYSTEM, "out of memory for the timers of %d ranks", session->team.size);
    if (prints)
        printf("%-20s %-12s %-14s %13s %8s %9s  %s\n", "host", "clock source", "timer", "resolution_ns", "cost_ns",
               "rate_ppm", "verdict");
    struct fault doubt = {0};
    for (enum timer_choice choice = TIMER_MPI_WTIME; choice <= TIMER_TSC && fault->code == FAULT_NONE; choice++) {
        const struct timer_kind *const kind = timer_of(choice);
        if (timer_check_kind(session, kind, findings, fault) == 0 && prints)
            timer_report(session, kind, findings, &doubt);
    }
    free(findings);
    fflush(stdout);
    if (fault->code == FAULT_NONE)
        *fault = doubt;
    return fault->code == FAULT_SYSTEM ? (int)fault->code : team_agree(&session->team, fault);
}
