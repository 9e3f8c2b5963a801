/* SPDX-License-Identifier: BSD-3-Clause */
/* rendezvous.c: the shared file of a node, and the members that it has (see rendezvous.h). */
#include "candle/rendezvous.h"

#include "base/affinity.h"
#include "base/shared_file.h"
#include "instruments/moment.h"
#include "instruments/round_trip.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define RENDEZVOUS_PREFIX "isochron-candle-"

enum { RENDEZVOUS_PAGE = 1 << 16 }; /* a multiple of the page size of every machine */
static const struct timespec RENDEZVOUS_PAUSE = {.tv_nsec = 1000 * 1000};

/* What the file begins with; the lanes follow. */
struct rendezvous_memory {
    _Atomic uint32_t complete; /* the members are all there, and the file has its full length */
    _Atomic uint32_t mapped;   /* processes of this node that have mapped it */
    int32_t local_count, hosts;
    char host_names[ROSTER_HOSTS][ROSTER_HOST];
    struct member members[];
};

static size_t rendezvous_head(int size)
{
    const size_t bytes = sizeof(struct rendezvous_memory) + (size_t)size * sizeof(struct member);
    return (bytes + RENDEZVOUS_PAGE - 1) / RENDEZVOUS_PAGE * RENDEZVOUS_PAGE;
}

const char *rendezvous_host(const struct rendezvous *rendezvous, int host)
{
    return rendezvous->memory->host_names[host];
}

static int rendezvous_fault(const struct rendezvous *rendezvous, struct fault *fault)
{
    return fault_set(fault, FAULT_SYSTEM, "%s: %s", rendezvous->path, strerror(errno));
}

static int rendezvous_changed(const struct rendezvous *rendezvous, struct fault *fault)
{
    return fault_set(fault, FAULT_ENVIRONMENT, "%s: another program has changed it; end that and start again",
                     rendezvous->path);
}

/*
 * The process that finds the file without a lock is the first: whatever a killed launch left there is removed. The
 * others wait for its lock for reading, which it has as soon as the file has a length; false if that takes too long.
 */
static bool rendezvous_lock(struct rendezvous *rendezvous, int64_t until_ns, struct fault *fault)
{
    const int descriptor = rendezvous->descriptor;
    rendezvous->first = shared_file_lock(descriptor, F_WRLCK, 0, 1);
    if (rendezvous->first &&
        (ftruncate(descriptor, 0) != 0 || ftruncate(descriptor, (off_t)rendezvous_head(rendezvous->place.size)) != 0))
        return rendezvous_fault(rendezvous, fault) == 0;
    while (!shared_file_lock(descriptor, F_RDLCK, 0, 1)) {
        if (moment_now() > until_ns)
            return shared_file_locked(rendezvous->path, fault) == 0;
        nanosleep(&RENDEZVOUS_PAUSE, NULL);
    }
    return true;
}

/* Open the file and map it; again if it has been removed in between. */
static int rendezvous_open_file(struct rendezvous *rendezvous, struct fault *fault)
{
    const int64_t until_ns = moment_now() + rendezvous->options.limit_ns;
    struct stat status = {0};
    while (status.st_nlink == 0 || status.st_size == 0) {
        if (rendezvous->descriptor >= 0)
            close(rendezvous->descriptor);
        if (shared_file_open(rendezvous->path, &rendezvous->descriptor, fault) ||
            !rendezvous_lock(rendezvous, until_ns, fault))
            return (int)fault->code;
        if (fstat(rendezvous->descriptor, &status) != 0)
            return rendezvous_fault(rendezvous, fault);
        if (moment_now() > until_ns)
            return shared_file_locked(rendezvous->path, fault);
    }
    if ((size_t)status.st_size < rendezvous_head(rendezvous->place.size))
        return rendezvous_changed(rendezvous, fault);
    void *const memory = mmap(NULL, rendezvous_head(rendezvous->place.size), PROT_READ | PROT_WRITE, MAP_SHARED,
                              rendezvous->descriptor, 0);
    if (memory == MAP_FAILED)
        return rendezvous_fault(rendezvous, fault);
    rendezvous->memory = memory;
    rendezvous->members = rendezvous->memory->members;
    return 0;
}

static void rendezvous_name_host(struct rendezvous *rendezvous)
{
    const int nodes = rendezvous->options.test_nodes;
    char name[ROSTER_HOST - 8] = "";
    gethostname(name, sizeof name - 1);
    if (nodes == 0)
        snprintf(rendezvous->host, sizeof rendezvous->host, "%s", name);
    else
        snprintf(rendezvous->host, sizeof rendezvous->host, "node%d",
                 (int)((int64_t)rendezvous->place.rank * nodes / rendezvous->place.size));
}

/* Enter this process among the members. */
static void rendezvous_register(struct rendezvous *rendezvous, uint16_t port)
{
    struct member *const member = &rendezvous->members[rendezvous->place.rank];
    struct in_addr addresses[MAX_ADDRESSES];
    const size_t count = rendezvous->options.test_nodes > 0 ? 0 : addresses_list(addresses);
    member->peer = (struct datagram_peer){.port = port};
    member->peer.addresses[0] = htonl(INADDR_LOOPBACK);
    for (size_t i = 0; i < count && i < DATAGRAM_ADDRESSES; i++)
        member->peer.addresses[i] = addresses[i].s_addr;
    affinity_text(member->cpus, sizeof member->cpus);
    atomic_store(&member->present, 1);
}

/* The first process of the node: with all members, make room for the lanes, and let the others go on. */
static int rendezvous_complete(struct rendezvous *rendezvous, struct fault *fault)
{
    struct rendezvous_memory *const memory = rendezvous->memory;
    int local = 0;
    memory->hosts = rendezvous->roster.host_count;
    for (int rank = 0; rank < rendezvous->place.size; rank++)
        local += rendezvous->members[rank].host == 0;
    memory->local_count = local;
    if (ftruncate(rendezvous->descriptor, (off_t)(rendezvous_head(rendezvous->place.size) + lanes_bytes(local))) != 0)
        return rendezvous_fault(rendezvous, fault);
    atomic_store(&memory->complete, 1);
    return 0;
}

/* The first process of the node gathers the members until all are there. */
static int rendezvous_gather(struct rendezvous *rendezvous, struct fault *fault)
{
    const int64_t begin_ns = moment_now();
    roster_open(&rendezvous->roster, &rendezvous->place, rendezvous->options.folder, rendezvous->host,
                rendezvous->memory->host_names, rendezvous->members);
    while (!roster_update(&rendezvous->roster, fault) && fault->code == FAULT_NONE) {
        if (moment_now() - begin_ns > rendezvous->options.limit_ns)
            roster_explain(&rendezvous->roster, rendezvous->options.limit_ns, fault);
        nanosleep(&RENDEZVOUS_PAUSE, NULL);
    }
    return fault->code == FAULT_NONE ? rendezvous_complete(rendezvous, fault) : (int)fault->code;
}

static int rendezvous_await(struct rendezvous *rendezvous, struct fault *fault)
{
    const int64_t begin_ns = moment_now();
    while (atomic_load(&rendezvous->memory->complete) == 0) {
        /* The first process names who is missing; if it has been killed, this one ends later. */
        if (moment_now() - begin_ns > 2 * rendezvous->options.limit_ns)
            return fault_set(fault, FAULT_SYSTEM, "rank %d: the other processes did not come within %.3g s",
                             rendezvous->place.rank, 2e-9 * (double)rendezvous->options.limit_ns);
        nanosleep(&RENDEZVOUS_PAUSE, NULL);
    }
    return 0;
}

static bool rendezvous_is_text(const char *text, size_t room)
{
    return memchr(text, '\0', room) != NULL;
}

/*
 * Return true if the file has the length, the hosts and the members that its first process gives it: indices and texts
 * are used later without a look.
 */
static bool rendezvous_is_sound(const struct rendezvous *rendezvous)
{
    const struct rendezvous_memory *const memory = rendezvous->memory;
    const struct member *const members = rendezvous->members;
    struct stat status;
    int here = 0;
    bool sound = memory->hosts >= 1 && memory->hosts <= ROSTER_HOSTS;
    for (int rank = 0; sound && rank < rendezvous->place.size; rank++) {
        here += members[rank].host == 0;
        sound = atomic_load(&members[rank].present) == 1 && members[rank].host >= 0 &&
                members[rank].host < memory->hosts && rendezvous_is_text(members[rank].cpus, ROSTER_CPUS);
    }
    for (int host = 0; sound && host < memory->hosts; host++)
        sound = rendezvous_is_text(memory->host_names[host], ROSTER_HOST);
    return sound && members[rendezvous->place.rank].host == 0 && here == memory->local_count &&
           fstat(rendezvous->descriptor, &status) == 0 &&
           (size_t)status.st_size >= rendezvous_head(rendezvous->place.size) + lanes_bytes(here);
}

/* Fill the index of each rank on this node, and return whether a core has several of them. */
static bool rendezvous_find_local(struct rendezvous *rendezvous)
{
    const struct member *const me = &rendezvous->members[rendezvous->place.rank];
    int count = 0, sharing = 0;
    for (int rank = 0; rank < rendezvous->place.size; rank++) {
        const bool here = rendezvous->members[rank].host == me->host;
        rendezvous->local[rank] = here ? count++ : LINK_NOBODY;
        sharing +=
            (here || rendezvous->options.test_nodes > 0) && strcmp(rendezvous->members[rank].cpus, me->cpus) == 0;
    }
    return sharing > affinity_count();
}

static int rendezvous_link(struct rendezvous *rendezvous, struct fault *fault)
{
    const size_t size = (size_t)rendezvous->place.size;
    struct link *const link = &rendezvous->link;
    if (!rendezvous_is_sound(rendezvous))
        return rendezvous_changed(rendezvous, fault);
    rendezvous->local = calloc(size, sizeof *rendezvous->local);
    rendezvous->peers = calloc(size, sizeof *rendezvous->peers);
    if (rendezvous->local == NULL || rendezvous->peers == NULL)
        return fault_set(fault, FAULT_SYSTEM, "out of memory for %zu processes", size);
    for (size_t rank = 0; rank < size; rank++)
        rendezvous->peers[rank] = rendezvous->members[rank].peer;
    link->rank = rendezvous->place.rank;
    link->size = rendezvous->place.size;
    link->limit_ns = rendezvous->options.limit_ns;
    link->crowded = rendezvous_find_local(rendezvous);
    link->local = rendezvous->local;
    link->remote = rendezvous->memory->hosts > 1;
    return datagrams_connect(&link->datagrams, rendezvous->peers, fault) ||
           lanes_open(&link->lanes, rendezvous->descriptor, rendezvous_head(rendezvous->place.size),
                      rendezvous->local[rendezvous->place.rank], rendezvous->memory->local_count, fault);
}

/* The last process of the node that has mapped the file removes its name: nothing is left whatever happens. */
static void rendezvous_remove_name(struct rendezvous *rendezvous)
{
    if ((int32_t)atomic_fetch_add(&rendezvous->memory->mapped, 1) + 1 == rendezvous->memory->local_count)
        unlink(rendezvous->path);
}

int rendezvous_open(struct rendezvous *rendezvous, const struct place *place, const struct rendezvous_options *options,
                    struct fault *fault)
{
    uint16_t port = 0;
    *rendezvous =
        (struct rendezvous){.place = *place, .options = *options, .descriptor = -1, .link.datagrams.socket = -1};
    rendezvous_name_host(rendezvous);
    snprintf(rendezvous->path, sizeof rendezvous->path, SHARED_FILE_FOLDER RENDEZVOUS_PREFIX "%016" PRIx64 "-%s",
             place->key, rendezvous->host);
    shared_file_remove_leftovers(RENDEZVOUS_PREFIX);
    if (datagrams_open(&rendezvous->link.datagrams, place->rank, place->size, place->key, options->test_lost, &port,
                       fault) ||
        rendezvous_open_file(rendezvous, fault))
        return (int)fault->code;
    rendezvous_register(rendezvous, port);
    if ((rendezvous->first ? rendezvous_gather(rendezvous, fault) : rendezvous_await(rendezvous, fault)) == 0 &&
        rendezvous_link(rendezvous, fault) == 0)
        rendezvous_remove_name(rendezvous);
    else if (rendezvous->first)
        unlink(rendezvous->path);
    return (int)fault->code;
}

void rendezvous_close(struct rendezvous *rendezvous)
{
    if (rendezvous->first)
        roster_close(&rendezvous->roster);
    lanes_close(&rendezvous->link.lanes);
    datagrams_close(&rendezvous->link.datagrams);
    if (rendezvous->memory != NULL)
        munmap(rendezvous->memory, rendezvous_head(rendezvous->place.size));
    if (rendezvous->descriptor >= 0)
        close(rendezvous->descriptor);
    free(rendezvous->local);
    free(rendezvous->peers);
    *rendezvous = (struct rendezvous){.descriptor = -1, .link.datagrams.socket = -1};
}
