/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * output.h: a file of JSON lines that exists under its name only when it is complete.
 *
 * Records are written to FILE.partial; output_finish adds the footer, synchronises the file with the disk and renames
 * it. On any failure the partial file is removed. An existing file is never overwritten.
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

/* Usage fault if path exists. */
int output_check(const char *path, struct fault *fault);

/* Usage fault if path exists, system fault if it cannot be created. */
int output_open(struct output *output, const char *path, struct fault *fault);

/* Write the line in json and empty it. */
int output_record(struct output *output, struct json *json, struct fault *fault);

/* Members of the footer besides the number of records and their checksum. */
struct output_footer {
    int64_t elapsed_ns;
    bool finalized;      /* the next one is written: by a program with MPI */
    int64_t finalize_ns; /* of MPI_Finalize on this process */
    bool counted;        /* the next two are written: on a simulated machine */
    int64_t engine_messages;
    int64_t mapped_bytes;
    bool network;         /* the next one is written: hosts are probed by datagrams */
    int64_t network_lost; /* pairs of hosts whose probe was abandoned */
};

/* Write the footer, synchronise and rename the file, and synchronise its folder. */
int output_finish(struct output *output, const struct output_footer *footer, struct fault *fault);

/* Remove an unfinished file; does nothing after output_finish. */
void output_discard(struct output *output);

#endif
