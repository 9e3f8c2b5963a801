/* SPDX-License-Identifier: BSD-3-Clause */
/* roster.c: counts members, and exchanges files of them (see roster.h). */
#include "candle/roster.h"

#include "instruments/moment.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const int64_t ROSTER_PAUSE_NS = 20 * 1000 * 1000; /* between readings of the folder */
enum { ROSTER_PREFIX = 32, ROSTER_LINE = ROSTER_CPUS + 100 };

void roster_open(struct roster *roster, const struct place *place, const char *folder, const char *host,
                 char (*hosts)[ROSTER_HOST], struct member *members)
{
    *roster = (struct roster){
        .place = *place, .folder = folder, .host = host, .hosts = hosts, .host_count = 1, .members = members};
    snprintf(hosts[0], ROSTER_HOST, "%s", host);
}

/* What the names of all files of this launch begin with. */
static void roster_prefix(const struct roster *roster, char prefix[ROSTER_PREFIX])
{
    snprintf(prefix, ROSTER_PREFIX, "candle-%016" PRIx64 ".", roster->place.key);
}

/* Return the number of members that are there, of all nodes or of this one. */
static int roster_count(const struct roster *roster, bool here)
{
    int count = 0;
    for (int rank = 0; rank < roster->place.size; rank++)
        count += atomic_load(&roster->members[rank].present) != 0 && (!here || roster->members[rank].host == 0);
    return count;
}

static int roster_fault(const char *path, struct fault *fault)
{
    return fault_set(fault, FAULT_SYSTEM, "--rendezvous: %s: %s", path, strerror(errno));
}

/* Write the file of this node. */
static int roster_write(struct roster *roster, struct fault *fault)
{
    char prefix[ROSTER_PREFIX], partial[ROSTER_PATH + ROSTER_HOST];
    roster_prefix(roster, prefix);
    snprintf(roster->file, sizeof roster->file, "%.3900s/%s%s", roster->folder, prefix, roster->host);
    snprintf(partial, sizeof partial, "%.3900s/new-%s%s", roster->folder, prefix, roster->host);
    FILE *const file = fopen(partial, "we");
    if (file == NULL)
        return roster_fault(partial, fault);
    roster->written = 0;
    for (int rank = 0; rank < roster->place.size; rank++) {
        const struct member *const member = &roster->members[rank];
        if (member->host != 0 || atomic_load(&member->present) == 0)
            continue;
        fprintf(file, "%d %u", rank, (unsigned)member->peer.port);
        for (int i = 0; i < DATAGRAM_ADDRESSES; i++)
            fprintf(file, " %" PRIu32, member->peer.addresses[i]);
        fprintf(file, " %s\n", member->cpus);
        roster->written++;
    }
    if (fclose(file) != 0 || rename(partial, roster->file) != 0)
        return roster_fault(partial, fault);
    return 0;
}

/* Return the index of a host, a new one if it was not there; -1 if there are too many. */
static int roster_host(struct roster *roster, const char *name)
{
    int host = 0;
    while (host < roster->host_count && strncmp(roster->hosts[host], name, ROSTER_HOST) != 0)
        host++;
    if (host == ROSTER_HOSTS)
        return -1;
    if (host == roster->host_count)
        snprintf(roster->hosts[roster->host_count++], ROSTER_HOST, "%s", name);
    return host;
}

/* Enter a process of another node; a line that is not as expected is ignored: its writer is missing then. */
static void roster_enter(struct roster *roster, int host, const char *line)
{
    struct member read = {.host = host};
    unsigned port = 0;
    int rank = -1, used = 0;
    uint32_t *const at = read.peer.addresses;
    if (sscanf(line, "%d %u %" SCNu32 " %" SCNu32 " %" SCNu32 " %" SCNu32 " %n", &rank, &port, &at[0], &at[1], &at[2],
               &at[3], &used) < 6 ||
        rank < 0 || rank >= roster->place.size || port > UINT16_MAX)
        return;
    struct member *const member = &roster->members[rank];
    if (atomic_load(&member->present) != 0)
        return;
    member->host = host;
    member->peer = read.peer;
    member->peer.port = (uint16_t)port;
    snprintf(member->cpus, sizeof member->cpus, "%.*s", (int)strcspn(line + used, "\n"), line + used);
    atomic_store(&member->present, 1);
}

static void roster_read_file(struct roster *roster, const char *name, const char *host_name)
{
    char path[2 * ROSTER_PATH], line[ROSTER_LINE];
    snprintf(path, sizeof path, "%.3900s/%.255s", roster->folder, name);
    FILE *const file = fopen(path, "re");
    const int host = file == NULL ? -1 : roster_host(roster, host_name);
    while (host > 0 && fgets(line, sizeof line, file) != NULL)
        roster_enter(roster, host, line);
    if (file != NULL)
        fclose(file);
}

static int roster_read(struct roster *roster, struct fault *fault)
{
    char prefix[ROSTER_PREFIX];
    roster_prefix(roster, prefix);
    DIR *const folder = opendir(roster->folder);
    const struct dirent *entry = NULL;
    if (folder == NULL)
        return roster_fault(roster->folder, fault);
    while ((entry = readdir(folder)) != NULL)
        if (strncmp(entry->d_name, prefix, strlen(prefix)) == 0)
            roster_read_file(roster, entry->d_name, entry->d_name + strlen(prefix));
    closedir(folder);
    return 0;
}

bool roster_update(struct roster *roster, struct fault *fault)
{
    const int64_t now_ns = moment_now();
    if (roster_count(roster, true) == roster->place.size)
        return true; /* all on this node */
    if (roster->folder == NULL || now_ns - roster->read_ns < ROSTER_PAUSE_NS)
        return false;
    roster->read_ns = now_ns;
    if (roster_write(roster, fault) || roster_read(roster, fault))
        return false;
    /* A process of this node that came after the file was written is in the next one. */
    return roster_count(roster, false) == roster->place.size && roster_count(roster, true) == roster->written;
}

int roster_explain(const struct roster *roster, int64_t limit_ns, struct fault *fault)
{
    int missing = 0;
    while (missing < roster->place.size && atomic_load(&roster->members[missing].present) != 0)
        missing++;
    return fault_set(fault, FAULT_SYSTEM, "after %.3g s %s knows %d of %d processes; rank %d, for one, is missing%s",
                     1e-9 * (double)limit_ns, roster->host, roster_count(roster, false), roster->place.size, missing,
                     roster->folder == NULL ? "; with several nodes give --rendezvous FOLDER" : "");
}

void roster_close(struct roster *roster)
{
    if (roster->file[0] != '\0')
        unlink(roster->file);
    roster->file[0] = '\0';
}
