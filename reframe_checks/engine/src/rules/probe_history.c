/* SPDX-License-Identifier: BSD-3-Clause */
/* probe_history.c: a line for each launch (see probe_history.h). */
#include "rules/probe_history.h"

#include "base/crc32.h"

#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The level is from this number of newest launches. */
enum { PROBE_HISTORY_NEWEST = 64, PROBE_HISTORY_LINE = 160 };

static int probe_history_compare(const void *first, const void *second)
{
    const double a = *(const double *)first, b = *(const double *)second;
    return (a > b) - (a < b);
}

/* Parse a complete line; an interrupted write leaves one without its end. */
static int probe_history_parse(const char *line, struct probe_history_entry *launch)
{
    char end = '\0';
    return sscanf(line, "%8" SCNx32 " %lf %" SCNd64 " %" SCNd64 "%c", &launch->library, &launch->line_ns,
                  &launch->elapsed_ns, &launch->extra_ns, &end) == 5 &&
           end == '\n' && launch->line_ns > 0.0 && isfinite(launch->line_ns) && launch->extra_ns >= 0 &&
           launch->elapsed_ns >= launch->extra_ns;
}

uint32_t probe_history_library(const char *name)
{
    return crc32_update(0, name, strlen(name));
}

struct probe_history probe_history_read(const char *path, uint32_t library)
{
    struct probe_history history = {.line_ns = NAN};
    FILE *const file = path == NULL ? NULL : fopen(path, "r");
    double newest[PROBE_HISTORY_NEWEST] = {0};
    size_t matches = 0;
    char line[PROBE_HISTORY_LINE];
    struct probe_history_entry launch;
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        if (!probe_history_parse(line, &launch))
            continue;
        history.elapsed_ns += launch.elapsed_ns;
        history.extra_ns += launch.extra_ns;
        if (launch.library == library)
            newest[matches++ % PROBE_HISTORY_NEWEST] = launch.line_ns;
    }
    if (file != NULL)
        fclose(file);
    const size_t count = matches < PROBE_HISTORY_NEWEST ? matches : PROBE_HISTORY_NEWEST;
    qsort(newest, count, sizeof *newest, probe_history_compare);
    if (count > 0)
        history.line_ns = newest[(count - 1) / 2];
    return history;
}

void probe_history_add(const char *path, const struct probe_history_entry *launch)
{
    char line[PROBE_HISTORY_LINE];
    const int length = snprintf(line, sizeof line, "%08" PRIx32 " %.6g %" PRId64 " %" PRId64 "\n", launch->library,
                                launch->line_ns, launch->elapsed_ns, launch->extra_ns);
    const int descriptor = path == NULL ? -1 : open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
    if (descriptor < 0)
        return;
    /* One call: a line that is written in part has no end, and is ignored by the reader. */
    const ssize_t written = write(descriptor, line, (size_t)length);
    (void)written;
    close(descriptor);
}
