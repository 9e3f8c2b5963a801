/* SPDX-License-Identifier: BSD-3-Clause */
/* resident.c: joining, waiting, handing over and leaving (see resident.h). */
#include "turns/resident.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* A waiting process looks this often whether the holder of the turn is gone. */
static const int64_t RESIDENT_LOOK_NS = 200 * 1000 * 1000;
static const struct timespec RESIDENT_PAUSE = {.tv_nsec = 20 * 1000 * 1000};

/* Set the timer of the turn; 0: none. */
static void resident_set_timer(struct resident *resident, int64_t after_ns)
{
    const struct itimerspec after = {.it_value = {after_ns / 1000000000, after_ns % 1000000000}};
    timer_settime(resident->timer, 0, &after, NULL);
}

static struct segment_resident *resident_entry(const struct resident *resident)
{
    return &resident->segment.memory->residents[resident->options.index];
}

bool resident_may_tell(const struct resident *resident)
{
    return resident->segment.memory == NULL || !segment_is_sound(&resident->segment) ||
           atomic_exchange(&resident_entry(resident)->told, 1) == 0;
}

void resident_leave(struct resident *resident, enum segment_state state)
{
    if (resident->segment.memory == NULL)
        return;
    resident_set_timer(resident, 0);
    if (segment_is_sound(&resident->segment)) {
        segment_mark(&resident->segment, resident->options.index, state);
        if (resident->has_turn && state != SEGMENT_FAILED)
            segment_advance(&resident->segment, resident->turn);
    }
    segment_close(&resident->segment);
}

/*
 * The turn is over its limit: the process may hang in its library, so that it can only end here. A signal handler: no
 * function that it calls takes a lock or allocates memory.
 */
static void resident_end_process(int signal, siginfo_t *info, void *context)
{
    struct resident *const resident = info->si_value.sival_ptr;
    (void)signal;
    (void)context;
    if (info->si_code != SI_TIMER)
        return; /* from elsewhere */
    if (resident_may_tell(resident)) {
        strncat(resident->line, activity_text(resident->activity), sizeof resident->line - strlen(resident->line) - 1);
        strncat(resident->line, "; ended\n", sizeof resident->line - strlen(resident->line) - 1);
        if (write(STDERR_FILENO, resident->line, strlen(resident->line)) < 0)
            _exit(FAULT_TURN);
    }
    resident_leave(resident, SEGMENT_TOO_LONG);
    _exit(FAULT_TURN);
}

static int resident_create_timer(struct resident *resident, struct fault *fault)
{
    const struct sigaction action = {.sa_sigaction = resident_end_process, .sa_flags = SA_SIGINFO};
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGALRM};
    event.sigev_value.sival_ptr = resident;
    if (sigaction(SIGALRM, &action, NULL) != 0 || timer_create(CLOCK_MONOTONIC, &event, &resident->timer) != 0)
        return fault_set(fault, FAULT_SYSTEM, "no timer for the turns: %s", strerror(errno));
    return 0;
}

static void resident_restart_limit(struct resident *resident)
{
    const struct resident_options *const options = &resident->options;
    const struct turn turn = turn_of(&options->plan, resident->turn);
    const int64_t limit_ns = options->limit_ns * (turn.kind == TURN_ROUND ? 1 : SEGMENT_EDGE_LIMITS);
    snprintf(resident->line, sizeof resident->line, "isochron: turn %lu of --turn %d/%d took longer than %.3g s",
             (unsigned long)resident->turn, options->index, (int)options->plan.residents, 1e-9 * (double)limit_ns);
    resident_set_timer(resident, limit_ns);
}

void resident_extend_turn(struct resident *resident)
{
    segment_restart_limit(&resident->segment);
    resident_restart_limit(resident);
}

static int resident_fault(const struct resident *resident, struct fault *fault)
{
    const enum segment_state state = segment_state(&resident->segment, resident->options.index);
    return fault_set(fault, FAULT_TURN, "--turn %d/%d: lost its turn (%s); the other residents went on",
                     resident->options.index, (int)resident->options.plan.residents, SEGMENT_STATE_NAMES[state]);
}

/* Set the fault of a segment that has been changed or cut; the other residents notice it as well. */
static int resident_check(const struct resident *resident, struct fault *fault)
{
    return segment_is_sound(&resident->segment)
               ? 0
               : fault_set(fault, FAULT_ENVIRONMENT,
                           "%s: another program has changed it; end that and start all residents again",
                           resident->segment.path);
}

static bool resident_is_lost(const struct resident *resident)
{
    return segment_state(&resident->segment, resident->options.index) != SEGMENT_JOINED;
}

int resident_join(struct resident *resident, const struct resident_options *options, struct fault *fault)
{
    *resident = (struct resident){.options = *options, .segment = {.descriptor = -1}};
    if (resident_create_timer(resident, fault) ||
        segment_open(&resident->segment, options->name, options->index, &options->plan, options->limit_ns, fault))
        return (int)fault->code;
    struct segment_resident *const entry = resident_entry(resident);
    uint32_t identity = 0, state = SEGMENT_ABSENT;
    if (!atomic_compare_exchange_strong(&entry->identity, &identity, options->identity) &&
        identity != options->identity) {
        fault_set(fault, FAULT_USAGE, "--turn %d/%d: another launch has this turn; give each launch its own",
                  options->index, (int)options->plan.residents);
        segment_close(&resident->segment);
        return (int)fault->code;
    }
    if (!atomic_compare_exchange_strong(&entry->state, &state, SEGMENT_JOINED) && resident_is_lost(resident))
        return resident_fault(resident, fault);
    return 0;
}

int resident_await(struct resident *resident, uint32_t turn, struct resident_wait *wait, struct fault *fault)
{
    const struct segment *const segment = &resident->segment;
    const int64_t begin_ns = segment_now(CLOCK_MONOTONIC), cpu_ns = segment_now(CLOCK_PROCESS_CPUTIME_ID);
    uint32_t current = 0;
    while (resident_check(resident, fault) == 0 && (current = segment->memory->turn) != turn) {
        if (resident_is_lost(resident))
            return resident_fault(resident, fault);
        if (current > turn)
            return fault_set(fault, FAULT_TURN, "turn %lu is over, the current one is %lu", (unsigned long)turn,
                             (unsigned long)current);
        if (segment_sleep(segment, current, resident->options.index, RESIDENT_LOOK_NS))
            segment_supervise(segment, current);
    }
    if (fault->code != FAULT_NONE)
        return (int)fault->code;
    if (resident_is_lost(resident))
        return resident_fault(resident, fault);
    wait->began_ns = segment_now(CLOCK_MONOTONIC);
    wait->slept_cpu_ns = segment_now(CLOCK_PROCESS_CPUTIME_ID) - cpu_ns;
    wait->waited_ns = wait->began_ns - begin_ns;
    wait->handover_ns = wait->began_ns - segment->memory->raised_ns;
    resident->turn = turn;
    resident->has_turn = true;
    resident_restart_limit(resident);
    return 0;
}

int resident_hand_over(struct resident *resident, bool raises, struct fault *fault)
{
    resident_set_timer(resident, 0);
    resident->has_turn = false;
    if (resident_check(resident, fault))
        return (int)fault->code;
    if (resident_is_lost(resident))
        return resident_fault(resident, fault);
    if (raises)
        segment_advance(&resident->segment, resident->turn);
    return 0;
}

/* Return the other residents of which a process lives, a bit for each. */
static uint32_t resident_others(const struct resident *resident)
{
    uint32_t others = 0;
    for (int i = 0; i < resident->options.plan.residents; i++)
        if (i != resident->options.index && segment_is_held(&resident->segment, i))
            others |= UINT32_C(1) << i;
    return others;
}

uint32_t resident_await_alone(struct resident *resident)
{
    const int64_t begin_ns = segment_now(CLOCK_MONOTONIC);
    const int64_t limit_ns = SEGMENT_EDGE_LIMITS * resident->options.limit_ns;
    uint32_t others = 0;
    resident_set_timer(resident, 0);
    while ((others = resident_others(resident)) != 0 && segment_now(CLOCK_MONOTONIC) - begin_ns < limit_ns)
        nanosleep(&RESIDENT_PAUSE, NULL);
    resident_extend_turn(resident);
    return others;
}
