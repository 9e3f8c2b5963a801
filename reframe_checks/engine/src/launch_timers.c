/* SPDX-License-Identifier: BSD-3-Clause */
/* launch_timers.c: --check-timer, a verdict for each timer before a campaign. */
#include "environment.h"
#include "launch.h"

#include <stdio.h>

static const char *timer_verdict(const struct timer_quality *quality)
{
    if (!quality->monotonic)
        return "unusable: it runs backwards";
    if (quality->resolution_ns <= 0.0)
        return "unusable: it stands still";
    return quality->resolution_ns > 100.0 ? "coarse: short operations will be timer-limited" : "good";
}

int launch_check_timers(const struct team *team, struct fault *fault)
{
    const bool prints = team->rank == 0;
    const bool simulated = environment_is_simulated();
    char source[48];
    timer_clock_source(source, sizeof source);
    if (prints)
        printf("clock source of the kernel: %s\n%-14s %14s %8s  %s\n", source, "timer", "resolution_ns", "cost_ns",
               "verdict");
    for (const struct timer_kind *kind = timer_table(); kind->name != NULL; kind++) {
        struct fault refused = {0};
        struct timer timer;
        struct timer_quality quality;
        if (timer_open(&timer, kind, simulated, team->comm, &refused)) {
            if (prints)
                printf("%-14s %14s %8s  refused: %s\n", kind->name, "-", "-",
                       refused.text[0] == '\0' ? "on another process" : refused.text);
            continue;
        }
        if (timer_check(&timer, team->comm, &quality, fault))
            return (int)fault->code;
        if (prints)
            printf("%-14s %14.1f %8.1f  %s\n", kind->name, quality.resolution_ns, quality.cost_ns,
                   timer_verdict(&quality));
    }
    return 0;
}
