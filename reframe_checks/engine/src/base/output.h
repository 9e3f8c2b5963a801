/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * output.h: a file of JSON lines that exists under its name only when it is complete.
 *
 * Records go to FILE.partial; output_finish adds the footer, brings the bytes to the disk and renames. On any failure
 * the partial file is removed. A file of that name is never overwritten.
 */
#ifndef ISOCHRON_OUTPUT_H
#define ISOCHRON_OUTPUT_H

#include "base/fault.h"
#include "base/json.h"

#include <stdint.h>

struct output {
    const char *path;
    char *partial;
    int descriptor;
    uint32_t crc;
    int64_t records;
};

/* Usage fault when path exists. */
int output_check(const char *path, struct fault *fault);

/* Usage fault when path exists, system fault when it cannot be created. */
int output_open(struct output *output, const char *path, struct fault *fault);

/* Writes the line in json and empties it. */
int output_record(struct output *output, struct json *json, struct fault *fault);

/* What the footer says besides the number of records and their checksum. */
struct output_footer {
    int64_t elapsed_ns;
    bool counted; /* whether the next two are known: on a simulated machine */
    int64_t own_messages;
    int64_t mapped_bytes;
    bool network;         /* whether the next one is known: where datagrams pass between hosts */
    int64_t network_lost; /* pairs of hosts whose readings were given up */
};

/* Footer, fsync, rename, fsync of the folder. */
int output_finish(struct output *output, const struct output_footer *footer, struct fault *fault);

/* Removes what is unfinished; harmless after output_finish. */
void output_discard(struct output *output);

#endif
