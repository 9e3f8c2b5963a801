/* SPDX-License-Identifier: BSD-3-Clause */
/* counters.c: reads the kernel's counters (see counters.h). */
#include "instruments/counters.h"

#include <fcntl.h>
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

static int counters_file(const char *path)
{
    return open(path, O_RDONLY | O_CLOEXEC);
}

void counters_open(struct counters *counters)
{
    char frequency[80];
    const int cpu = sched_getcpu();
    snprintf(frequency, sizeof frequency, "/sys/devices/system/cpu/cpu%d/cpufreq/scaling_cur_freq", cpu < 0 ? 0 : cpu);
    counters->schedstat = counters_file("/proc/thread-self/schedstat");
    counters->stat = counters_file("/proc/stat");
    counters->frequency = counters_file(frequency);
}

void counters_close(struct counters *counters)
{
    const int files[] = {counters->schedstat, counters->stat, counters->frequency};
    for (int i = 0; i < 3; i++)
        if (files[i] >= 0)
            close(files[i]);
    *counters = (struct counters){-1, -1, -1};
}

double counters_switches(void)
{
    struct rusage usage;
    return getrusage(RUSAGE_SELF, &usage) == 0 ? (double)usage.ru_nivcsw : NAN;
}

/* Read a number from the file's first line by a scanf format. */
static double counters_number(int file, const char *form)
{
    char text[256];
    double number = NAN;
    const ssize_t length = file < 0 ? -1 : pread(file, text, sizeof text - 1, 0);
    if (length <= 0)
        return NAN;
    text[length] = '\0';
    return sscanf(text, form, &number) == 1 ? number : NAN;
}

double counters_waited_ns(const struct counters *counters)
{
    return counters_number(counters->schedstat, "%*s %lf");
}

double counters_steal_ns(const struct counters *counters)
{
    const double ticks = counters_number(counters->stat, "cpu %*s %*s %*s %*s %*s %*s %*s %lf");
    return ticks * 1e9 / (double)sysconf(_SC_CLK_TCK);
}

double counters_frequency_mhz(const struct counters *counters)
{
    return counters_number(counters->frequency, "%lf") / 1000.0;
}
