/* SPDX-License-Identifier: BSD-3-Clause */
/* activity.c: the operation that is measured, and what is told when a signal ends the process (see activity.h). */
#include "base/activity.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

/* The signals of errors in a program, and of its own abort. */
static const int ACTIVITY_SIGNALS[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
enum { ACTIVITY_COUNT = sizeof ACTIVITY_SIGNALS / sizeof *ACTIVITY_SIGNALS, ACTIVITY_STACK = 64 * 1024 };

/* The stack stands first: the handler knows its address, and so that of the whole, without a global variable. */
struct activity {
    _Alignas(16) unsigned char stack[ACTIVITY_STACK];
    char now[128];
    char lines[ACTIVITY_COUNT][64]; /* by signal: the begin of the line */
    struct sigaction before[ACTIVITY_COUNT];
    stack_t stack_before;
};

static void activity_write(const char *text)
{
    if (write(STDERR_FILENO, text, strlen(text)) < 0)
        return;
}

/* A signal handler. An error happens again when it returns; a signal that was sent is sent again. */
static void activity_tell(int signal, siginfo_t *info, void *context)
{
    const stack_t *const stack = &((const ucontext_t *)context)->uc_stack;
    const struct activity *const activity = stack->ss_size == ACTIVITY_STACK ? stack->ss_sp : NULL;
    int number = 0;
    while (number < ACTIVITY_COUNT - 1 && ACTIVITY_SIGNALS[number] != signal)
        number++;
    if (activity == NULL) { /* in another thread */
        sigaction(signal, &(struct sigaction){.sa_handler = SIG_DFL}, NULL);
    } else {
        if (activity->now[0] != '\0') {
            activity_write(activity->lines[number]);
            activity_write(activity->now);
            activity_write("\n");
        }
        sigaction(signal, &activity->before[number], NULL);
    }
    if (info->si_code <= 0)
        raise(signal);
}

int activity_open(int rank, struct activity **activity, struct fault *fault)
{
    const struct sigaction action = {.sa_sigaction = activity_tell, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    struct activity *const opened = calloc(1, sizeof *opened);
    if (opened == NULL)
        return fault_set(fault, FAULT_SYSTEM, "out of memory for a signal stack");
    const stack_t stack = {.ss_sp = opened->stack, .ss_size = sizeof opened->stack};
    if (sigaltstack(&stack, &opened->stack_before) != 0) {
        free(opened);
        return fault_set(fault, FAULT_SYSTEM, "no signal stack: %s", strerror(errno));
    }
    for (int i = 0; i < ACTIVITY_COUNT; i++) {
        snprintf(opened->lines[i], sizeof opened->lines[i], "isochron-engine: rank %d: signal %d", rank,
                 ACTIVITY_SIGNALS[i]);
        sigaction(ACTIVITY_SIGNALS[i], &action, &opened->before[i]);
    }
    *activity = opened;
    return 0;
}

void activity_set(struct activity *activity, const char *operation, int64_t bytes)
{
    if (activity == NULL)
        return;
    activity->now[0] = '\0';
    if (operation != NULL)
        snprintf(activity->now, sizeof activity->now, " while measuring %s of %lld bytes", operation, (long long)bytes);
}

const char *activity_text(const struct activity *activity)
{
    return activity == NULL ? "" : activity->now;
}

void activity_close(struct activity *activity)
{
    if (activity == NULL)
        return;
    for (int i = 0; i < ACTIVITY_COUNT; i++)
        sigaction(ACTIVITY_SIGNALS[i], &activity->before[i], NULL);
    sigaltstack(&activity->stack_before, NULL);
    free(activity);
}
