/* SPDX-License-Identifier: BSD-3-Clause */
/* output.c: the output file (see output.h). */
#include "base/output.h"

#include "base/crc32.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int output_fail(const struct output *output, const char *what, struct fault *fault)
{
    return fault_set(fault, FAULT_SYSTEM, "cannot %s '%s': %s", what, output->path, strerror(errno));
}

int output_check(const char *path, struct fault *fault)
{
    return access(path, F_OK) == 0 ? fault_set(fault, FAULT_USAGE, "--output '%s' exists; name a new file", path) : 0;
}

int output_open(struct output *output, const char *path, struct fault *fault)
{
    *output = (struct output){.path = path, .descriptor = -1};
    if (output_check(path, fault))
        return (int)fault->code;
    const size_t length = strlen(path) + sizeof ".partial";
    output->partial = malloc(length);
    if (output->partial == NULL)
        return output_fail(output, "name", fault);
    snprintf(output->partial, length, "%s.partial", path);
    output->descriptor = open(output->partial, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    return output->descriptor < 0 ? output_fail(output, "create", fault) : 0;
}

int output_record(struct output *output, struct json *json, struct fault *fault)
{
    json_newline(json);
    if (json->failed)
        return fault_set(fault, FAULT_SYSTEM, "out of memory for a record of '%s'", output->path);
    for (size_t done = 0; done < json->length;) {
        const ssize_t written = write(output->descriptor, json->text + done, json->length - done);
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            return output_fail(output, "write", fault);
        done += (size_t)written;
    }
    output->crc = crc32_update(output->crc, json->text, json->length);
    output->records++;
    json->length = 0;
    return 0;
}

/* Make the new name itself durable. */
static int output_sync_folder(const struct output *output, struct fault *fault)
{
    char *const copy = strdup(output->path);
    const int folder = copy == NULL ? -1 : open(dirname(copy), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    /* Some file systems have no fsync of a folder and return EINVAL: then there is nothing to make durable. */
    const bool synced = folder >= 0 && (fsync(folder) == 0 || errno == EINVAL);
    const int code = synced ? 0 : output_fail(output, "sync the folder of", fault);
    if (folder >= 0)
        close(folder);
    free(copy);
    return code;
}

int output_finish(struct output *output, const struct output_footer *footer, struct fault *fault)
{
    struct json json = {0};
    json_open(&json, NULL, '{');
    json_text(&json, "record", "footer");
    json_integer(&json, "records", output->records);
    json_integer(&json, "elapsed_ns", footer->elapsed_ns);
    if (footer->finalized)
        json_integer(&json, "finalize_ns", footer->finalize_ns);
    if (footer->counted) {
        json_integer(&json, "own_messages", footer->engine_messages);
        json_integer(&json, "mapped_bytes", footer->mapped_bytes);
    }
    if (footer->network)
        json_integer(&json, "network_lost", footer->network_lost);
    /* Last, since it is of all bytes before this member, those of the footer included. */
    char crc[9];
    snprintf(crc, sizeof crc, "%08" PRIx32, crc32_update(output->crc, json.text, json.length));
    json_text(&json, "file_crc32", crc);
    json_close(&json, '}');
    int code = output_record(output, &json, fault);
    json_free(&json);
    if (code != 0)
        return code;

    const int descriptor = output->descriptor;
    code = fsync(descriptor) != 0 ? output_fail(output, "write", fault) : 0;
    output->descriptor = -1;
    if (close(descriptor) != 0 && code == 0)
        code = output_fail(output, "write", fault);
    if (code != 0)
        return code;
    if (access(output->path, F_OK) == 0)
        return fault_set(fault, FAULT_SYSTEM, "'%s' was created during the measurement; it is not overwritten",
                         output->path);
    if (rename(output->partial, output->path) != 0)
        return output_fail(output, "rename to", fault);
    free(output->partial);
    output->partial = NULL;
    return output_sync_folder(output, fault);
}

void output_discard(struct output *output)
{
    if (output->descriptor >= 0)
        close(output->descriptor);
    if (output->partial != NULL)
        unlink(output->partial);
    free(output->partial);
    *output = (struct output){.descriptor = -1};
}
