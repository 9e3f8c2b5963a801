/* SPDX-License-Identifier: BSD-3-Clause */
/* roll.c: counts members, and exchanges files of them (see roll.h). */
#include "candle/roll.h"

#include "instruments/moment.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const int64_t ROLL_LOOK_NS = 20 * 1000 * 1000; /* between looks into the folder */
enum { ROLL_PREFIX = 32, ROLL_LINE = ROLL_CPUS + 100 };

void roll_open(struct roll *roll, const struct place *place, const char *folder, const char *host,
               char (*hosts)[ROLL_HOST], struct member *members)
{
    *roll = (struct roll){.place = *place, .folder = folder, .hosts = hosts, .host_count = 1, .members = members};
    snprintf(hosts[0], ROLL_HOST, "%s", host);
}

/* What the names of all files of this launch begin with. */
static void roll_prefix(const struct roll *roll, char prefix[ROLL_PREFIX])
{
    snprintf(prefix, ROLL_PREFIX, "candle-%016" PRIx64 ".", roll->place.key);
}

/* Return the number of members that are there, of all nodes or of this one. */
static int roll_count(const struct roll *roll, bool here)
{
    int count = 0;
    for (int rank = 0; rank < roll->place.size; rank++)
        count += atomic_load(&roll->members[rank].present) != 0 && (!here || roll->members[rank].host == 0);
    return count;
}

static int roll_fault(const char *path, struct fault *fault)
{
    return fault_set(fault, FAULT_SYSTEM, "--rendezvous: %s: %s", path, strerror(errno));
}

/* Write the file of this node. */
static int roll_write(struct roll *roll, struct fault *fault)
{
    char prefix[ROLL_PREFIX], partial[ROLL_PATH + ROLL_HOST];
    roll_prefix(roll, prefix);
    snprintf(roll->file, sizeof roll->file, "%.3900s/%s%s", roll->folder, prefix, roll->hosts[0]);
    snprintf(partial, sizeof partial, "%.3900s/new-%s%s", roll->folder, prefix, roll->hosts[0]);
    FILE *const file = fopen(partial, "we");
    if (file == NULL)
        return roll_fault(partial, fault);
    roll->written = 0;
    for (int rank = 0; rank < roll->place.size; rank++) {
        const struct member *const member = &roll->members[rank];
        if (member->host != 0 || atomic_load(&member->present) == 0)
            continue;
        fprintf(file, "%d %u", rank, (unsigned)member->peer.port);
        for (int i = 0; i < DATAGRAM_ADDRESSES; i++)
            fprintf(file, " %" PRIu32, member->peer.addresses[i]);
        fprintf(file, " %s\n", member->cpus);
        roll->written++;
    }
    if (fclose(file) != 0 || rename(partial, roll->file) != 0)
        return roll_fault(partial, fault);
    return 0;
}

/* Return the index of a host, a new one if it was not there; -1 if there are too many. */
static int roll_host(struct roll *roll, const char *name)
{
    int host = 0;
    while (host < roll->host_count && strcmp(roll->hosts[host], name) != 0)
        host++;
    if (host == ROLL_HOSTS)
        return -1;
    if (host == roll->host_count)
        snprintf(roll->hosts[roll->host_count++], ROLL_HOST, "%s", name);
    return host;
}

/* Enter a process of another node; a line that is not as expected is ignored: its writer is missing then. */
static void roll_enter(struct roll *roll, int host, const char *line)
{
    struct member read = {.host = host};
    unsigned port = 0;
    int rank = -1, used = 0;
    uint32_t *const at = read.peer.addresses;
    if (sscanf(line, "%d %u %" SCNu32 " %" SCNu32 " %" SCNu32 " %" SCNu32 " %n", &rank, &port, &at[0], &at[1], &at[2],
               &at[3], &used) < 6 ||
        rank < 0 || rank >= roll->place.size || port > UINT16_MAX)
        return;
    struct member *const member = &roll->members[rank];
    if (atomic_load(&member->present) != 0)
        return;
    member->host = host;
    member->peer = read.peer;
    member->peer.port = (uint16_t)port;
    snprintf(member->cpus, sizeof member->cpus, "%.*s", (int)strcspn(line + used, "\n"), line + used);
    atomic_store(&member->present, 1);
}

static void roll_read_file(struct roll *roll, const char *name, const char *host_name)
{
    char path[2 * ROLL_PATH], line[ROLL_LINE];
    snprintf(path, sizeof path, "%.3900s/%.255s", roll->folder, name);
    FILE *const file = fopen(path, "re");
    const int host = file == NULL ? -1 : roll_host(roll, host_name);
    while (host > 0 && fgets(line, sizeof line, file) != NULL)
        roll_enter(roll, host, line);
    if (file != NULL)
        fclose(file);
}

static int roll_read(struct roll *roll, struct fault *fault)
{
    char prefix[ROLL_PREFIX];
    roll_prefix(roll, prefix);
    DIR *const folder = opendir(roll->folder);
    const struct dirent *entry = NULL;
    if (folder == NULL)
        return roll_fault(roll->folder, fault);
    while ((entry = readdir(folder)) != NULL)
        if (strncmp(entry->d_name, prefix, strlen(prefix)) == 0)
            roll_read_file(roll, entry->d_name, entry->d_name + strlen(prefix));
    closedir(folder);
    return 0;
}

bool roll_call(struct roll *roll, struct fault *fault)
{
    const int64_t now_ns = moment_now();
    if (roll_count(roll, true) == roll->place.size)
        return true; /* all on this node */
    if (roll->folder == NULL || now_ns - roll->looked_ns < ROLL_LOOK_NS)
        return false;
    roll->looked_ns = now_ns;
    if (roll_write(roll, fault) || roll_read(roll, fault))
        return false;
    /* A process of this node that came after the file was written is in the next one. */
    return roll_count(roll, false) == roll->place.size && roll_count(roll, true) == roll->written;
}

int roll_explain(const struct roll *roll, int64_t limit_ns, struct fault *fault)
{
    int missing = 0;
    while (missing < roll->place.size && atomic_load(&roll->members[missing].present) != 0)
        missing++;
    return fault_set(fault, FAULT_SYSTEM, "after %.3g s %s knows %d of %d processes; rank %d, for one, is missing%s",
                     1e-9 * (double)limit_ns, roll->hosts[0], roll_count(roll, false), roll->place.size, missing,
                     roll->folder == NULL ? "; with several nodes give --rendezvous FOLDER" : "");
}

void roll_close(struct roll *roll)
{
    if (roll->file[0] != '\0')
        unlink(roll->file);
    roll->file[0] = '\0';
}
