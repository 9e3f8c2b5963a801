/* SPDX-License-Identifier: BSD-3-Clause */
/* segment.c: the shared file, its locks and its futex (see segment.h). */
#include "turns/segment.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

const char *const SEGMENT_STATE_NAMES[] = {"absent", "joined",   "left",       "failed",
                                           "died",   "too-long", "not-joined", NULL};

#define SEGMENT_FOLDER "/dev/shm/"
#define SEGMENT_PREFIX "isochron-turns-"

/* "ISOTURN" and the version of the layout. */
static const uint64_t SEGMENT_MAGIC = UINT64_C(0x49534f5455524e02);

enum { SEGMENT_GATE = TURN_MAX_RESIDENTS }; /* the byte after those of the residents */
enum { SEGMENT_GATE_TRIES = 1000 };         /* a millisecond each */
enum { SEGMENT_LEFTOVER_S = 60 };           /* an unused segment of that age is removed */
enum { SEGMENT_SECOND_NS = 1000 * 1000 * 1000 };

int64_t segment_now(int clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (int64_t)now.tv_sec * SEGMENT_SECOND_NS + now.tv_nsec;
}

/* Lock bytes of the file, or release them, without waiting; false if another process is in the way. */
static bool segment_lock(int descriptor, short type, int first, int count)
{
    struct flock lock = {.l_type = type, .l_whence = SEEK_SET, .l_start = first, .l_len = count};
    return fcntl(descriptor, F_OFD_SETLK, &lock) == 0;
}

/* Return true if another process holds a lock on one of these bytes. */
static bool segment_is_locked(int descriptor, int first, int count)
{
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = first, .l_len = count};
    return fcntl(descriptor, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

/* Others hold the gate for microseconds, unless they are stopped just then. */
static bool segment_pass_gate(int descriptor)
{
    for (int i = 0; i < SEGMENT_GATE_TRIES; i++) {
        if (segment_lock(descriptor, F_WRLCK, SEGMENT_GATE, 1))
            return true;
        usleep(1000);
    }
    return false;
}

static bool segment_is_leftover(int folder, const char *name)
{
    struct stat status;
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(status.st_mode) ||
        status.st_uid != geteuid() || now.tv_sec - status.st_mtime < SEGMENT_LEFTOVER_S)
        return false;
    const int descriptor = openat(folder, name, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    const bool unused = descriptor >= 0 && !segment_is_locked(descriptor, 0, SEGMENT_GATE + 1);
    if (descriptor >= 0)
        close(descriptor);
    return unused;
}

static void segment_remove_leftovers(void)
{
    DIR *const folder = opendir(SEGMENT_FOLDER);
    const struct dirent *entry = NULL;
    while (folder != NULL && (entry = readdir(folder)) != NULL)
        if (strncmp(entry->d_name, SEGMENT_PREFIX, strlen(SEGMENT_PREFIX)) == 0 &&
            segment_is_leftover(dirfd(folder), entry->d_name) && unlinkat(dirfd(folder), entry->d_name, 0) == 0)
            fprintf(stderr, "isochron: removed " SEGMENT_FOLDER "%s, which no process uses any more\n", entry->d_name);
    if (folder != NULL)
        closedir(folder);
}

/* Open the file and pass its gate; again if it was removed in between. */
static int segment_enter(struct segment *segment, struct fault *fault)
{
    for (;;) {
        struct stat status;
        segment->descriptor = open(segment->path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
        if (segment->descriptor < 0 || fstat(segment->descriptor, &status) != 0)
            return fault_set(fault, FAULT_ENVIRONMENT, "%s: cannot be opened: %s", segment->path, strerror(errno));
        if (!segment_pass_gate(segment->descriptor))
            return fault_set(fault, FAULT_ENVIRONMENT, "%s: locked by a process that does not go on; end it",
                             segment->path);
        if (fstat(segment->descriptor, &status) == 0 && status.st_nlink > 0)
            return 0;
        close(segment->descriptor);
    }
}

static bool segment_same_plan(const struct turn_plan *a, const struct turn_plan *b)
{
    return a->seed == b->seed && a->residents == b->residents && a->last == b->last && a->rounds == b->rounds &&
           a->cases == b->cases;
}

/* Behind the gate: map the file; the first process, or the first after a job that left it, gives it its contents. */
static int segment_map(struct segment *segment, const struct turn_plan *plan, int64_t limit_ns, struct fault *fault)
{
    const int descriptor = segment->descriptor;
    const bool first = !segment_is_locked(descriptor, 0, TURN_MAX_RESIDENTS);
    struct stat status;
    if ((first && (ftruncate(descriptor, 0) != 0 || ftruncate(descriptor, sizeof *segment->memory) != 0)) ||
        fstat(descriptor, &status) != 0)
        return fault_set(fault, FAULT_ENVIRONMENT, "%s: %s", segment->path, strerror(errno));
    if (status.st_size != sizeof *segment->memory)
        return fault_set(fault, FAULT_ENVIRONMENT, "%s: of another version of the engine; give another --turns",
                         segment->path);
    void *const memory = mmap(NULL, sizeof *segment->memory, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    if (memory == MAP_FAILED)
        return fault_set(fault, FAULT_ENVIRONMENT, "%s: %s", segment->path, strerror(errno));
    segment->memory = memory;
    if (first) {
        segment->memory->magic = SEGMENT_MAGIC;
        segment->memory->plan = *plan;
        segment->memory->limit_ns = limit_ns;
        segment->memory->created_ns = segment->memory->raised_ns = segment_now(CLOCK_MONOTONIC);
    } else if (segment->memory->magic != SEGMENT_MAGIC || !segment_same_plan(&segment->memory->plan, plan) ||
               segment->memory->limit_ns != limit_ns) {
        return fault_set(fault, FAULT_ENVIRONMENT,
                         "%s: in use with other residents, rounds, cases, seed or limit; start all residents with the "
                         "same",
                         segment->path);
    }
    return 0;
}

int segment_open(struct segment *segment, const char *name, int resident, const struct turn_plan *plan,
                 int64_t limit_ns, struct fault *fault)
{
    *segment = (struct segment){.descriptor = -1};
    snprintf(segment->path, sizeof segment->path, SEGMENT_FOLDER SEGMENT_PREFIX "%.*s", SEGMENT_NAME_LIMIT, name);
    segment_remove_leftovers();
    if (segment_enter(segment, fault) == 0 && segment_map(segment, plan, limit_ns, fault) == 0 &&
        !segment_lock(segment->descriptor, F_RDLCK, resident, 1))
        fault_set(fault, FAULT_ENVIRONMENT, "%s: cannot be locked: %s", segment->path, strerror(errno));
    if (fault->code == FAULT_NONE)
        segment_lock(segment->descriptor, F_UNLCK, SEGMENT_GATE, 1);
    else
        segment_close(segment);
    return (int)fault->code;
}

bool segment_is_held(const struct segment *segment, int resident)
{
    return segment_is_locked(segment->descriptor, resident, 1);
}

enum segment_state segment_state(const struct segment *segment, int resident)
{
    return (enum segment_state)segment->memory->residents[resident].state;
}

bool segment_is_gone(enum segment_state state)
{
    return state >= SEGMENT_LEFT;
}

bool segment_is_lost(enum segment_state state)
{
    return state > SEGMENT_LEFT;
}

void segment_mark(const struct segment *segment, int resident, enum segment_state state)
{
    _Atomic uint32_t *const word = &segment->memory->residents[resident].state;
    uint32_t before = *word;
    while (!segment_is_gone((enum segment_state)before) && !atomic_compare_exchange_weak(word, &before, state))
        continue;
}

static long segment_futex(const struct segment *segment, int operation, uint32_t value, const struct timespec *until,
                          int resident)
{
    return syscall(SYS_futex, &segment->memory->turn, operation, value, until, NULL, UINT32_C(1) << resident);
}

void segment_advance(const struct segment *segment, uint32_t turn)
{
    struct segment_memory *const memory = segment->memory;
    const uint32_t count = turn_count(&memory->plan);
    uint32_t next = turn + 1;
    while (next < count && segment_is_gone(segment_state(segment, turn_of(&memory->plan, next).resident)))
        next++;
    if (memory->turn != turn)
        return;
    memory->raised_ns = segment_now(CLOCK_MONOTONIC); /* before the turn: nobody must see it with an old time */
    if (atomic_compare_exchange_strong(&memory->turn, &turn, next) && next < count)
        segment_futex(segment, FUTEX_WAKE_BITSET, INT32_MAX, NULL, turn_of(&memory->plan, next).resident);
}

void segment_restart_limit(const struct segment *segment)
{
    segment->memory->raised_ns = segment_now(CLOCK_MONOTONIC);
}

/*
 * Return the state of the holder of the current turn, with the reason if it loses the turn now. One that ended with an
 * error has the turn until its processes have ended: the launcher is ending them.
 */
static enum segment_state segment_judge(const struct segment *segment, const struct turn *turn)
{
    const struct segment_memory *const memory = segment->memory;
    const enum segment_state state = segment_state(segment, turn->resident);
    const int64_t limit_ns = memory->limit_ns * (turn->kind == TURN_ROUND ? 1 : SEGMENT_EDGE_LIMITS);
    const int64_t now_ns = segment_now(CLOCK_MONOTONIC);
    const bool over = now_ns - memory->raised_ns > limit_ns;
    const bool held = segment_is_held(segment, turn->resident);
    switch (state) {
    case SEGMENT_ABSENT:
        return now_ns - memory->created_ns > limit_ns ? SEGMENT_NOT_JOINED : SEGMENT_ABSENT;
    case SEGMENT_JOINED:
        return !held ? SEGMENT_DIED : over ? SEGMENT_TOO_LONG : SEGMENT_JOINED;
    case SEGMENT_FAILED:
        return held && !over ? SEGMENT_JOINED : SEGMENT_FAILED;
    default:
        return state;
    }
}

void segment_supervise(const struct segment *segment, uint32_t turn)
{
    if (turn >= turn_count(&segment->memory->plan) || segment->memory->turn != turn)
        return;
    const struct turn current = turn_of(&segment->memory->plan, turn);
    const enum segment_state judged = segment_judge(segment, &current);
    if (!segment_is_gone(judged))
        return;
    segment_mark(segment, current.resident, judged);
    segment_advance(segment, turn);
}

bool segment_sleep(const struct segment *segment, uint32_t turn, int resident, int64_t timeout_ns)
{
    const int64_t until_ns = segment_now(CLOCK_MONOTONIC) + timeout_ns;
    const struct timespec until = {until_ns / SEGMENT_SECOND_NS, until_ns % SEGMENT_SECOND_NS};
    return segment_futex(segment, FUTEX_WAIT_BITSET, turn, &until, resident) != 0 && errno == ETIMEDOUT;
}

void segment_close(struct segment *segment)
{
    if (segment->memory != NULL)
        munmap(segment->memory, sizeof *segment->memory);
    if (segment->descriptor >= 0) {
        /* Behind the gate, so that of two processes that leave together one is the last. */
        if (segment_pass_gate(segment->descriptor) && !segment_is_locked(segment->descriptor, 0, TURN_MAX_RESIDENTS))
            unlink(segment->path);
        close(segment->descriptor);
    }
    segment->memory = NULL;
    segment->descriptor = -1;
}
