/* SPDX-License-Identifier: BSD-3-Clause */
/* meeting.c: the shared file of a node, and the members that it has (see meeting.h). */
#include "candle/meeting.h"

#include "base/affinity.h"
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

enum { MEETING_PAGE = 1 << 16 }; /* a multiple of the page size of every machine */
static const struct timespec MEETING_PAUSE = {.tv_nsec = 1000 * 1000};

/* What the file begins with; the lanes follow. */
struct meeting_memory {
    _Atomic uint32_t complete; /* the members are all there, and the file has its full length */
    _Atomic uint32_t mapped;   /* processes of this node that have mapped it */
    int32_t local_count, hosts;
    char host_names[ROLL_HOSTS][ROLL_HOST];
    struct member members[];
};

static size_t meeting_head(int size)
{
    const size_t bytes = sizeof(struct meeting_memory) + (size_t)size * sizeof(struct member);
    return (bytes + MEETING_PAGE - 1) / MEETING_PAGE * MEETING_PAGE;
}

int meeting_hosts(const struct meeting *meeting)
{
    return meeting->memory->hosts;
}

const char *meeting_host(const struct meeting *meeting, int host)
{
    return meeting->memory->host_names[host];
}

static int meeting_fault(const struct meeting *meeting, struct fault *fault)
{
    return fault_set(fault, FAULT_SYSTEM, "%s: %s", meeting->path, strerror(errno));
}

/* Lock the first byte, without waiting or waiting; a lock for writing is exchanged for one for reading at once. */
static bool meeting_lock(const struct meeting *meeting, short type, bool waits)
{
    struct flock lock = {.l_type = type, .l_whence = SEEK_SET, .l_len = 1};
    return fcntl(meeting->descriptor, waits ? F_OFD_SETLKW : F_OFD_SETLK, &lock) == 0;
}

/*
 * Open the file. The process that finds it without a lock is the first: whatever a killed launch left there is removed.
 * Again if the file has been removed in between.
 */
static int meeting_open_file(struct meeting *meeting, struct fault *fault)
{
    for (;;) {
        struct stat status;
        meeting->descriptor = open(meeting->path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
        if (meeting->descriptor < 0)
            return meeting_fault(meeting, fault);
        meeting->first = meeting_lock(meeting, F_WRLCK, false);
        if (meeting->first && (ftruncate(meeting->descriptor, 0) != 0 ||
                               ftruncate(meeting->descriptor, (off_t)meeting_head(meeting->place.size)) != 0))
            return meeting_fault(meeting, fault);
        if (!meeting_lock(meeting, F_RDLCK, true) || fstat(meeting->descriptor, &status) != 0)
            return meeting_fault(meeting, fault);
        if (status.st_nlink > 0 && status.st_size > 0)
            break;
        close(meeting->descriptor);
    }
    void *const memory =
        mmap(NULL, meeting_head(meeting->place.size), PROT_READ | PROT_WRITE, MAP_SHARED, meeting->descriptor, 0);
    if (memory == MAP_FAILED)
        return meeting_fault(meeting, fault);
    meeting->memory = memory;
    meeting->members = meeting->memory->members;
    return 0;
}

static void meeting_name_host(struct meeting *meeting)
{
    const int nodes = meeting->options.test_nodes;
    char name[ROLL_HOST - 8] = "";
    gethostname(name, sizeof name - 1);
    if (nodes == 0)
        snprintf(meeting->host, sizeof meeting->host, "%s", name);
    else
        snprintf(meeting->host, sizeof meeting->host, "node%d",
                 (int)((int64_t)meeting->place.rank * nodes / meeting->place.size));
}

/* Enter this process among the members. */
static void meeting_register(struct meeting *meeting, uint16_t port)
{
    struct member *const member = &meeting->members[meeting->place.rank];
    struct in_addr addresses[MAX_ADDRESSES];
    const size_t count = meeting->options.test_nodes > 0 ? 0 : addresses_list(addresses);
    member->peer = (struct datagram_peer){.port = port};
    member->peer.addresses[0] = htonl(INADDR_LOOPBACK);
    for (size_t i = 0; i < count && i < DATAGRAM_ADDRESSES; i++)
        member->peer.addresses[i] = addresses[i].s_addr;
    affinity_text(member->cpus, sizeof member->cpus);
    atomic_store(&member->present, 1);
}

/* The first process of the node: with all members, make room for the lanes, and let the others go on. */
static int meeting_complete(struct meeting *meeting, struct fault *fault)
{
    struct meeting_memory *const memory = meeting->memory;
    int local = 0;
    memory->hosts = meeting->roll.host_count;
    for (int rank = 0; rank < meeting->place.size; rank++)
        local += meeting->members[rank].host == 0;
    memory->local_count = local;
    if (ftruncate(meeting->descriptor, (off_t)(meeting_head(meeting->place.size) + lanes_bytes(local))) != 0)
        return meeting_fault(meeting, fault);
    atomic_store(&memory->complete, 1);
    return 0;
}

/* The first process of the node calls the roll until all are there. */
static int meeting_call_roll(struct meeting *meeting, struct fault *fault)
{
    const int64_t begin_ns = moment_now();
    roll_open(&meeting->roll, &meeting->place, meeting->options.folder, meeting->host, meeting->memory->host_names,
              meeting->members);
    while (!roll_call(&meeting->roll, fault) && fault->code == FAULT_NONE) {
        if (moment_now() - begin_ns > meeting->options.limit_ns)
            roll_explain(&meeting->roll, meeting->options.limit_ns, fault);
        nanosleep(&MEETING_PAUSE, NULL);
    }
    return fault->code == FAULT_NONE ? meeting_complete(meeting, fault) : (int)fault->code;
}

static int meeting_await(struct meeting *meeting, struct fault *fault)
{
    const int64_t begin_ns = moment_now();
    while (atomic_load(&meeting->memory->complete) == 0) {
        /* The first process tells who is missing; if it has been killed, this one does later. */
        if (moment_now() - begin_ns > 2 * meeting->options.limit_ns)
            return fault_set(fault, FAULT_SYSTEM, "rank %d: the other processes did not come within %.3g s",
                             meeting->place.rank, 2e-9 * (double)meeting->options.limit_ns);
        nanosleep(&MEETING_PAUSE, NULL);
    }
    return 0;
}

/* Fill the index of each rank on this node, and return whether a core has several of them. */
static bool meeting_find_local(struct meeting *meeting)
{
    const struct member *const me = &meeting->members[meeting->place.rank];
    int count = 0, sharing = 0;
    for (int rank = 0; rank < meeting->place.size; rank++) {
        const bool here = meeting->members[rank].host == me->host;
        meeting->local[rank] = here ? count++ : LINK_NOBODY;
        sharing += (here || meeting->options.test_nodes > 0) && strcmp(meeting->members[rank].cpus, me->cpus) == 0;
    }
    return sharing > affinity_count();
}

static int meeting_link(struct meeting *meeting, struct fault *fault)
{
    const size_t size = (size_t)meeting->place.size;
    struct link *const link = &meeting->link;
    meeting->local = calloc(size, sizeof *meeting->local);
    meeting->peers = calloc(size, sizeof *meeting->peers);
    if (meeting->local == NULL || meeting->peers == NULL)
        return fault_set(fault, FAULT_SYSTEM, "out of memory for %zu processes", size);
    for (size_t rank = 0; rank < size; rank++)
        meeting->peers[rank] = meeting->members[rank].peer;
    link->rank = meeting->place.rank;
    link->size = meeting->place.size;
    link->limit_ns = meeting->options.limit_ns;
    link->crowded = meeting_find_local(meeting);
    link->local = meeting->local;
    link->remote = meeting->memory->hosts > 1;
    return datagrams_connect(&link->datagrams, meeting->peers, fault) ||
           lanes_open(&link->lanes, meeting->descriptor, meeting_head(meeting->place.size),
                      meeting->local[meeting->place.rank], meeting->memory->local_count, fault);
}

/* The last process of the node that has mapped the file removes its name: nothing is left whatever happens. */
static void meeting_remove_name(struct meeting *meeting)
{
    if ((int32_t)atomic_fetch_add(&meeting->memory->mapped, 1) + 1 == meeting->memory->local_count)
        unlink(meeting->path);
}

int meeting_open(struct meeting *meeting, const struct place *place, const struct meeting_options *options,
                 struct fault *fault)
{
    uint16_t port = 0;
    *meeting = (struct meeting){.place = *place, .options = *options, .descriptor = -1, .link.datagrams.socket = -1};
    meeting_name_host(meeting);
    snprintf(meeting->path, sizeof meeting->path, "/dev/shm/isochron-candle-%016" PRIx64 "-%s", place->key,
             meeting->host);
    if (datagrams_open(&meeting->link.datagrams, place->rank, place->size, place->key, options->test_lost, &port,
                       fault) ||
        meeting_open_file(meeting, fault))
        return (int)fault->code;
    meeting_register(meeting, port);
    if ((meeting->first ? meeting_call_roll(meeting, fault) : meeting_await(meeting, fault)) == 0 &&
        meeting_link(meeting, fault) == 0)
        meeting_remove_name(meeting);
    else if (meeting->first)
        unlink(meeting->path);
    return (int)fault->code;
}

void meeting_close(struct meeting *meeting)
{
    if (meeting->first)
        roll_close(&meeting->roll);
    lanes_close(&meeting->link.lanes);
    datagrams_close(&meeting->link.datagrams);
    if (meeting->memory != NULL)
        munmap(meeting->memory, meeting_head(meeting->place.size));
    if (meeting->descriptor >= 0)
        close(meeting->descriptor);
    free(meeting->local);
    free(meeting->peers);
    *meeting = (struct meeting){.descriptor = -1, .link.datagrams.socket = -1};
}
