/* SPDX-License-Identifier: BSD-3-Clause */
/* clock_source.c: reads the name of the kernel's clock source (see clock_source.h). */
#include "machine/clock_source.h"

#include <stdio.h>
#include <string.h>

void clock_source_read(char *name, int capacity)
{
    snprintf(name, (size_t)capacity, "unknown");
    FILE *const file = fopen("/sys/devices/system/clocksource/clocksource0/current_clocksource", "r");
    if (file == NULL)
        return;
    if (fgets(name, capacity, file) != NULL)
        name[strcspn(name, "\n")] = '\0';
    fclose(file);
}
