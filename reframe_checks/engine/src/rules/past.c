/* SPDX-License-Identifier: BSD-3-Clause */
/* past.c: a line for each launch (see past.h). */
#include "rules/past.h"

#include "base/crc32.h"

#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* So many of the newest launches say what is usual. */
enum { PAST_NEWEST = 64, PAST_LINE = 160 };

static int past_order(const void *first, const void *second)
{
    const double a = *(const double *)first, b = *(const double *)second;
    return (a > b) - (a < b);
}

/* A whole line that ends; torn ones do not. */
static int past_parse(const char *line, struct past_launch *launch)
{
    char end = '\0';
    return sscanf(line, "%8" SCNx32 " %lf %" SCNd64 " %" SCNd64 "%c", &launch->library, &launch->line_ns,
                  &launch->elapsed_ns, &launch->extra_ns, &end) == 5 &&
           end == '\n' && launch->line_ns > 0.0 && isfinite(launch->line_ns) && launch->extra_ns >= 0 &&
           launch->elapsed_ns >= launch->extra_ns;
}

uint32_t past_library(const char *name)
{
    return crc32_update(0, name, strlen(name));
}

struct past past_read(const char *path, uint32_t library)
{
    struct past past = {.line_ns = NAN};
    FILE *const file = path == NULL ? NULL : fopen(path, "r");
    double newest[PAST_NEWEST] = {0};
    size_t known = 0;
    char line[PAST_LINE];
    struct past_launch launch;
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        if (!past_parse(line, &launch))
            continue;
        past.elapsed_ns += launch.elapsed_ns;
        past.extra_ns += launch.extra_ns;
        if (launch.library == library)
            newest[known++ % PAST_NEWEST] = launch.line_ns;
    }
    if (file != NULL)
        fclose(file);
    const size_t count = known < PAST_NEWEST ? known : PAST_NEWEST;
    qsort(newest, count, sizeof *newest, past_order);
    if (count > 0)
        past.line_ns = newest[(count - 1) / 2];
    return past;
}

void past_add(const char *path, const struct past_launch *launch)
{
    char line[PAST_LINE];
    const int length = snprintf(line, sizeof line, "%08" PRIx32 " %.6g %" PRId64 " %" PRId64 "\n", launch->library,
                                launch->line_ns, launch->elapsed_ns, launch->extra_ns);
    const int descriptor = path == NULL ? -1 : open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
    if (descriptor < 0)
        return;
    /* In one call: what is written in part has no end of line, and is left out when it is read. */
    const ssize_t written = write(descriptor, line, (size_t)length);
    (void)written;
    close(descriptor);
}
