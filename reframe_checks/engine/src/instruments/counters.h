/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * counters.h: an instrument: the kernel's counters of this process and its host. Files remain open and are read again;
 * a counter that cannot be read is NaN.
 */
#ifndef ISOCHRON_COUNTERS_H
#define ISOCHRON_COUNTERS_H

struct counters {
    int schedstat; /* descriptors; below 0: none */
    int stat;
    int frequency; /* of the processor of the process at opening */
};

void counters_open(struct counters *counters);
void counters_close(struct counters *counters);

/* Return the involuntary context switches of this process since its start (getrusage(2)). */
double counters_switches(void);

/* Return the ns for which this thread was runnable but not running (/proc/thread-self/schedstat, second number). */
double counters_waited_ns(const struct counters *counters);

/* Return the ns that the hypervisor took from the host's processors since it was booted (proc_stat(5), steal). */
double counters_steal_ns(const struct counters *counters);

/* Return the processor's frequency in MHz (cpufreq). */
double counters_frequency_mhz(const struct counters *counters);

#endif
