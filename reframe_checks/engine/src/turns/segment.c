/* SPDX-License-Identifier: BSD-3-Clause */
/* segment.c: the shared file, its locks and its futex (see segment.h). */
#include "turns/segment.h"

#include "base/shared_file.h"

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

#define SEGMENT_PREFIX "isochron-turns-"

/* "ISOTURN" and the version of the layout. */
static const uint64_t SEGMENT_MAGIC = UINT64_C(0x49534f5455524e02);

enum { SEGMENT_GATE = TURN_MAX_RESIDENTS }; /* the byte after those of the residents */
enum { SEGMENT_GATE_TRIES = 1000 };         /* a millisecond each */
enum { SEGMENT_SECOND_NS = 1000 * 1000 * 1000 };

int64_t segment_now(int clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (int64_t)now.tv_sec * SEGMENT_SECOND_NS + now.tv_nsec;
}

/* Others hold the gate for microseconds, unless they are stopped just then. */
static bool segment_pass_gate(int descriptor)
{
    for (int i = 0; i < SEGMENT_GATE_TRIES; i++) {
        if (shared_file_lock(descriptor, F_WRLCK, SEGMENT_GATE, 1))
            return true;
        usleep(1000);
    }
    return false;
}

/* Open the file and pass its gate; again if it was removed in between. */
static int segment_enter(struct segment *segment, struct fault *fault)
{
    struct stat status;
    for (int i = 0; i < SEGMENT_GATE_TRIES; i++) {
        if (shared_file_open(segment->path, &segment->descriptor, fault))
            return (int)fault->code;
        if (!segment_pass_gate(segment->descriptor))
            break;
        if (fstat(segment->descriptor, &status) == 0 && status.st_nlink > 0)
            return 0;
        close(segment->descriptor);
        segment->descriptor = -1;
    }
    return shared_file_locked(segment->path, fault);
}

static bool segment_same_plan(const struct turn_plan *a, const struct turn_plan *b)
{
    return a->seed == b->seed && a->residents == b->residents && a->last == b->last && a->rounds == b->rounds &&
           a->cases == b->cases;
}

/* Return true if the segment has, as far as it is known what, the contents that its first process gave it. */
static bool segment_has_plan(const struct segment *segment)
{
    const struct segment_memory *const memory = segment->memory;
    return memory->magic == SEGMENT_MAGIC && segment_same_plan(&memory->plan, &segment->plan) &&
           memory->limit_ns == segment->limit_ns;
}

/* Behind the gate: map the file; the first process, or the first after a job that left it, gives it its contents. */
static int segment_map(struct segment *segment, struct fault *fault)
{
    const int descriptor = segment->descriptor;
    const bool first = !shared_file_is_locked(descriptor, 0, TURN_MAX_RESIDENTS);
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
        segment->memory->plan = segment->plan;
        segment->memory->limit_ns = segment->limit_ns;
        segment->memory->created_ns = segment->memory->raised_ns = segment_now(CLOCK_MONOTONIC);
    } else if (!segment_has_plan(segment)) {
        return fault_set(fault, FAULT_ENVIRONMENT,
                         "%s: in use with other residents, rounds, cases, seed or limit; start all residents with the "
                         "same",
                         segment->path);
    }
    segment->created_ns = segment->memory->created_ns;
    return 0;
}

int segment_open(struct segment *segment, const char *name, int resident, const struct turn_plan *plan,
                 int64_t limit_ns, struct fault *fault)
{
    *segment = (struct segment){.descriptor = -1, .plan = *plan, .limit_ns = limit_ns};
    snprintf(segment->path, sizeof segment->path, SHARED_FILE_FOLDER SEGMENT_PREFIX "%.*s", SEGMENT_NAME_LIMIT, name);
    shared_file_remove_leftovers(SEGMENT_PREFIX);
    if (segment_enter(segment, fault) == 0 && segment_map(segment, fault) == 0 &&
        !shared_file_lock(segment->descriptor, F_RDLCK, resident, 1))
        fault_set(fault, FAULT_ENVIRONMENT, "%s: cannot be locked: %s", segment->path, strerror(errno));
    if (fault->code == FAULT_NONE)
        shared_file_lock(segment->descriptor, F_UNLCK, SEGMENT_GATE, 1);
    else
        segment_close(segment);
    return (int)fault->code;
}

bool segment_is_held(const struct segment *segment, int resident)
{
    return shared_file_is_locked(segment->descriptor, resident, 1);
}

enum segment_state segment_state(const struct segment *segment, int resident)
{
    const uint32_t state = segment->memory->residents[resident].state;
    return state < SEGMENT_STATES ? (enum segment_state)state : SEGMENT_FAILED;
}

/* Times are of one clock: what was raised was raised after the creation and before now. */
bool segment_is_sound(const struct segment *segment)
{
    const struct segment_memory *const memory = segment->memory;
    struct stat status;
    if (fstat(segment->descriptor, &status) != 0 || status.st_size != sizeof *memory)
        return false;
    const int64_t raised_ns = memory->raised_ns, now_ns = segment_now(CLOCK_MONOTONIC);
    bool sound = segment_has_plan(segment) && memory->created_ns == segment->created_ns &&
                 memory->turn <= turn_count(&segment->plan) && raised_ns >= segment->created_ns && raised_ns <= now_ns;
    for (int i = 0; sound && i < segment->plan.residents; i++)
        sound = memory->residents[i].state < SEGMENT_STATES;
    return sound;
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
    const uint32_t count = turn_count(&segment->plan);
    uint32_t next = turn + 1;
    while (next < count && segment_is_gone(segment_state(segment, turn_of(&segment->plan, next).resident)))
        next++;
    if (memory->turn != turn)
        return;
    memory->raised_ns = segment_now(CLOCK_MONOTONIC); /* before the turn: nobody must see it with an old time */
    if (atomic_compare_exchange_strong(&memory->turn, &turn, next) && next < count)
        segment_futex(segment, FUTEX_WAKE_BITSET, INT32_MAX, NULL, turn_of(&segment->plan, next).resident);
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
    const int64_t limit_ns = segment->limit_ns * (turn->kind == TURN_ROUND ? 1 : SEGMENT_EDGE_LIMITS);
    const int64_t now_ns = segment_now(CLOCK_MONOTONIC);
    const bool over = now_ns - memory->raised_ns > limit_ns;
    const bool held = segment_is_held(segment, turn->resident);
    switch (state) {
    case SEGMENT_ABSENT:
        return now_ns - segment->created_ns > limit_ns ? SEGMENT_NOT_JOINED : SEGMENT_ABSENT;
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
    if (turn >= turn_count(&segment->plan) || segment->memory->turn != turn)
        return;
    const struct turn current = turn_of(&segment->plan, turn);
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
        if (segment_pass_gate(segment->descriptor) &&
            !shared_file_is_locked(segment->descriptor, 0, TURN_MAX_RESIDENTS))
            unlink(segment->path);
        close(segment->descriptor);
    }
    segment->memory = NULL;
    segment->descriptor = -1;
}
