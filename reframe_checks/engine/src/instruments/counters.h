/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * counters.h: what the kernel counts of this process and of its host. Files are kept open and read again; what cannot
 * be read is NaN.
 */
#ifndef ISOCHRON_COUNTERS_H
#define ISOCHRON_COUNTERS_H

struct counters {
    int schedstat; /* descriptors; below 0: none */
    int stat;
    int frequency; /* of the processor that the process was on when it opened */
};

void counters_open(struct counters *counters);
void counters_close(struct counters *counters);

/* Involuntary context switches of this process since its start (getrusage(2)). */
double counters_switches(void);

/* ns that this thread was ready to run and did not, since its start (/proc/thread-self/schedstat, second number). */
double counters_waited_ns(const struct counters *counters);

/* ns that the hypervisor ran something else on any processor of the host, since it was booted (proc_stat(5), steal). */
double counters_steal_ns(const struct counters *counters);

/* MHz at which the kernel says the processor runs (cpufreq). */
double counters_frequency_mhz(const struct counters *counters);

#endif
