/* SPDX-License-Identifier: BSD-3-Clause */
/* moment.h: the time that the instruments read: that of this process, whatever timer is measured with. */
#ifndef ISOCHRON_MOMENT_H
#define ISOCHRON_MOMENT_H

#include <stdint.h>
#include <time.h>

static inline int64_t moment_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

#endif
