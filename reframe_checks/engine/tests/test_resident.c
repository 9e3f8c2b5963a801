/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * test_resident.c: residents take turns, each a process of its own; some die, are stopped or never come. No time is
 * asserted: whoever waits for ever is ended by an alarm, and the test fails.
 */
#include "harness.h"
#include "turns/resident.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { RESIDENTS = 3, FOR_EVER_S = 60 };
static const int64_t LIMIT_NS = 500 * 1000 * 1000;

/* How a resident misbehaves. */
enum misdeed { NONE, DIE, FAIL, HANG, STOP, STAY_AWAY, EXTEND };

/* The turns that were taken, in their order. */
struct diary {
    _Atomic uint32_t count;
    uint32_t turns[200];
    int residents[200];
};

struct scene {
    struct turn_plan plan;
    enum misdeed misdeed;
    int culprit; /* does it; -1: nobody */
    int when;    /* in this one of its turns */
    char name[SEGMENT_NAME_LIMIT];
    struct diary *diary;
    pid_t processes[RESIDENTS];
    int codes[RESIDENTS]; /* exit codes; 1000 and the signal of those that were killed */
};

static struct scene scene_of(enum misdeed misdeed, int culprit, int when)
{
    struct scene scene = {.plan = {.seed = 1, .residents = RESIDENTS, .last = -1, .rounds = 8, .cases = 2},
                          .misdeed = misdeed,
                          .culprit = culprit,
                          .when = when};
    snprintf(scene.name, sizeof scene.name, "unit-%ld-%d-%d", (long)getpid(), (int)misdeed, when);
    scene.diary = mmap(NULL, sizeof *scene.diary, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return scene;
}

static void misbehave(enum misdeed misdeed)
{
    if (misdeed == DIE)
        raise(SIGKILL);
    if (misdeed == STOP)
        raise(SIGSTOP);
    while (misdeed == HANG)
        continue;
}

/* A turn of twice the limit, in parts that begin it again. */
static void extend(struct resident *resident)
{
    for (int part = 0; part < 4; part++) {
        nanosleep(&(struct timespec){.tv_nsec = LIMIT_NS / 2}, NULL);
        resident_extend_turn(resident);
    }
}

static void note_turn(struct diary *diary, uint32_t turn, int resident)
{
    const uint32_t entry = diary->count++;
    diary->turns[entry] = turn;
    diary->residents[entry] = resident;
}

/* One turn; the exit code of the process if it must end, else 0. */
static int take_turn(struct resident *resident, uint32_t turn, const struct scene *scene, int own)
{
    struct resident_wait wait;
    struct fault fault = {0};
    if (resident_await(resident, turn, &wait, &fault))
        return (int)fault.code;
    const bool faulty = resident->options.index == scene->culprit && own == scene->when;
    if (faulty && scene->misdeed == FAIL)
        return FAULT_SYSTEM;
    if (faulty && scene->misdeed == EXTEND)
        extend(resident);
    if (faulty && scene->misdeed != EXTEND)
        misbehave(scene->misdeed); /* one that was stopped goes on from here when the others have ended */
    else
        note_turn(scene->diary, turn, resident->options.index);
    return resident_hand_over(resident, true, &fault);
}

static int live(const struct scene *scene, int index)
{
    const struct resident_options options = {.name = scene->name,
                                             .index = index,
                                             .identity = 10 + (uint32_t)index,
                                             .limit_ns = LIMIT_NS,
                                             .plan = scene->plan};
    struct resident resident;
    struct fault fault = {0};
    int own = 1;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (resident_join(&resident, &options, &fault))
        return (int)fault.code;
    int code = take_turn(&resident, turn_prologue(&scene->plan, index), scene, 0);
    for (int64_t round = 0; code == 0 && round < scene->plan.rounds; round++, own++)
        code = take_turn(&resident, turn_in_round(&scene->plan, index, round), scene, own);
    if (code == 0)
        code = take_turn(&resident, turn_epilogue(&scene->plan, index), scene, own);
    resident_leave(&resident, code == 0 ? SEGMENT_LEFT : SEGMENT_FAILED);
    return code;
}

static void begin(struct scene *scene)
{
    fflush(stdout);
    for (int i = 0; i < RESIDENTS; i++)
        if ((scene->misdeed != STAY_AWAY || i != scene->culprit) && (scene->processes[i] = fork()) == 0) {
            if (freopen("/dev/null", "w", stderr) == NULL)
                _exit(99);
            _exit(live(scene, i));
        }
}

/* Wait for the end of the scene; a stopped resident continues when the others have ended. */
static void end(struct scene *scene)
{
    for (int step = 0; step < RESIDENTS; step++) {
        const int i = (scene->culprit + 1 + step) % RESIDENTS; /* the culprit last */
        int status = 0;
        if (scene->processes[i] == 0)
            continue;
        if (i == scene->culprit)
            kill(scene->processes[i], SIGCONT);
        waitpid(scene->processes[i], &status, 0);
        scene->codes[i] = WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
    }
}

static bool segment_exists(const struct scene *scene)
{
    char path[200];
    snprintf(path, sizeof path, "/dev/shm/isochron-turns-%s", scene->name);
    return access(path, F_OK) == 0;
}

/* Return the number of turns that a resident took; 0 if one was not its own or out of order. */
static int turns_taken(const struct scene *scene, int resident)
{
    int count = 0;
    for (uint32_t i = 0; i < scene->diary->count; i++) {
        if ((i > 0 && scene->diary->turns[i] <= scene->diary->turns[i - 1]) ||
            turn_of(&scene->plan, scene->diary->turns[i]).resident != scene->diary->residents[i])
            return 0;
        count += scene->diary->residents[i] == resident;
    }
    return count;
}

static int own_turns(const struct scene *scene)
{
    return (int)(turn_count(&scene->plan) / RESIDENTS);
}

static void test_all_complete(struct harness *harness, const char *name, struct scene scene)
{
    harness_case(harness, name);
    begin(&scene);
    end(&scene);
    for (int i = 0; i < RESIDENTS; i++)
        harness_is(harness, scene.codes[i] == 0 && turns_taken(&scene, i) == own_turns(&scene));
    harness_is(harness, !segment_exists(&scene));
}

static void test_loss(struct harness *harness, const char *name, struct scene *scene, int code)
{
    harness_case(harness, name);
    end(scene);
    harness_is(harness, scene->codes[1] == code && turns_taken(scene, 1) == scene->when);
    harness_is(harness, scene->codes[0] == 0 && turns_taken(scene, 0) == own_turns(scene));
    harness_is(harness, scene->codes[2] == 0 && turns_taken(scene, 2) == own_turns(scene));
    harness_is(harness, !segment_exists(scene));
}

/* Resident 1 is lost, in a scene each, all at the same time, because they wait for a limit. */
static void test_losses(struct harness *harness)
{
    static const struct {
        const char *name;
        enum misdeed misdeed;
        int when, code;
    } LOSSES[] = {
        {"one is killed in its prologue", DIE, 0, 1000 + SIGKILL},
        {"one is killed in a slice", DIE, 3, 1000 + SIGKILL},
        {"one is killed in its epilogue", DIE, 9, 1000 + SIGKILL},
        {"one ends with an error in a slice", FAIL, 3, FAULT_SYSTEM},
        {"one hangs in a slice", HANG, 3, FAULT_TURN},
        {"one is stopped in a slice and continues too late", STOP, 3, FAULT_TURN},
        {"one is stopped in its prologue and continues too late", STOP, 0, FAULT_TURN},
        {"one never comes", STAY_AWAY, 0, 0},
    };
    enum { COUNT = sizeof LOSSES / sizeof *LOSSES };
    struct scene scenes[COUNT];
    for (int i = 0; i < COUNT; i++) {
        scenes[i] = scene_of(LOSSES[i].misdeed, 1, LOSSES[i].when);
        begin(&scenes[i]);
    }
    for (int i = 0; i < COUNT; i++)
        test_loss(harness, LOSSES[i].name, &scenes[i], LOSSES[i].code);
}

static struct resident_options options_of(const struct scene *scene, int index, uint32_t identity)
{
    return (struct resident_options){
        .name = scene->name, .index = index, .identity = identity, .limit_ns = LIMIT_NS, .plan = scene->plan};
}

static void test_refused(struct harness *harness)
{
    const struct scene scene = scene_of(NONE, -1, 0);
    struct resident_options options = options_of(&scene, 0, 1);
    struct resident first, second;
    struct fault none = {0}, taken = {0}, other = {0};
    harness_case(harness, "a turn that another launch has, and another plan, are refused");
    harness_is(harness, resident_join(&first, &options, &none) == 0);
    options.identity = 2;
    harness_is(harness, resident_join(&second, &options, &taken) == FAULT_USAGE);
    harness_is(harness, strstr(taken.text, "another launch has this turn") != NULL);
    options.identity = 1;
    options.plan.seed++;
    harness_is(harness, resident_join(&second, &options, &other) == FAULT_ENVIRONMENT);
    harness_is(harness, segment_exists(&scene));
    resident_leave(&first, SEGMENT_FAILED);
    harness_is(harness, !segment_exists(&scene));
}

/* Make a file as an earlier job leaves it, that old. */
static void leave_behind(const char *path, time_t age)
{
    const struct timespec then = {time(NULL) - age, 0}, times[2] = {then, then};
    const int descriptor = open(path, O_RDWR | O_CREAT, 0600);
    if (futimens(descriptor, times) == 0)
        close(descriptor);
}

static void test_leftovers(struct harness *harness)
{
    const struct scene scene = scene_of(NONE, -1, 0);
    const struct resident_options options = options_of(&scene, 0, 1);
    struct resident resident;
    struct fault fault = {0};
    char old_path[100], new_path[100], own_path[200];
    harness_case(harness, "an old segment that nobody uses is removed, a new one stays, one of the same name is taken");
    snprintf(old_path, sizeof old_path, "/dev/shm/isochron-turns-old-%ld", (long)getpid());
    snprintf(new_path, sizeof new_path, "/dev/shm/isochron-turns-new-%ld", (long)getpid());
    snprintf(own_path, sizeof own_path, "/dev/shm/isochron-turns-%s", scene.name);
    leave_behind(old_path, 3600);
    leave_behind(new_path, 0);
    leave_behind(own_path, 0);
    harness_is(harness, resident_join(&resident, &options, &fault) == 0);
    harness_is(harness, access(old_path, F_OK) != 0);
    harness_is(harness, unlink(new_path) == 0);
    resident_leave(&resident, SEGMENT_LEFT);
    harness_is(harness, access(own_path, F_OK) != 0);
}

/* Change one thing of the segment of a scene, as another program may that can write to the file. */
static void rewrite(const struct scene *scene, int change)
{
    struct segment_memory *memory = NULL;
    char path[200];
    snprintf(path, sizeof path, "/dev/shm/isochron-turns-%s", scene->name);
    const int descriptor = open(path, O_RDWR);
    memory = mmap(NULL, sizeof *memory, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    if (change == 0)
        memory->plan.residents = 0;
    if (change == 1)
        memory->plan.residents = INT32_MAX;
    if (change == 2)
        memory->plan.rounds = -1;
    if (change == 3)
        memory->turn = UINT32_MAX;
    if (change == 4)
        memory->raised_ns = INT64_MAX;
    if (change == 5)
        memory->limit_ns = INT64_MAX;
    if (change == 6)
        memory->residents[0].state = UINT32_MAX;
    if (change == 7)
        memory->residents[1].state = 1000;
    if (change == 8)
        memset(memory, 0xff, sizeof *memory);
    munmap(memory, sizeof *memory);
    if (change == 9 && ftruncate(descriptor, 0) != 0)
        _exit(99);
    close(descriptor);
}

/* Resident 0 joins, its segment is rewritten, and it waits for a turn that is not the first one; its exit code. */
static int live_in_rewritten(const struct scene *scene, int change)
{
    const struct resident_options options = options_of(scene, 0, 1);
    struct resident resident;
    struct resident_wait wait;
    struct fault fault = {0};
    if (resident_join(&resident, &options, &fault))
        return 98;
    rewrite(scene, change);
    if (resident_await(&resident, 4, &wait, &fault) == 0 ||
        strstr(fault.text, "another program has changed it") == NULL)
        return 97;
    if (!resident_may_tell(&resident))
        return 96;
    resident_leave(&resident, SEGMENT_FAILED);
    return (int)fault.code;
}

static void test_rewritten(struct harness *harness)
{
    for (int change = 0; change < 10; change++) {
        const struct scene scene = scene_of(NONE, change, 100 + change);
        int status = 0;
        harness_case(harness, "a segment that another program changes is an error of the environment");
        fflush(stdout);
        const pid_t process = fork();
        if (process == 0) {
            alarm(FOR_EVER_S);
            _exit(live_in_rewritten(&scene, change));
        }
        waitpid(process, &status, 0);
        harness_is(harness, WIFEXITED(status) && WEXITSTATUS(status) == FAULT_ENVIRONMENT);
        harness_is(harness, !segment_exists(&scene));
    }
}

int main(void)
{
    struct harness harness = {0};
    alarm(FOR_EVER_S);
    test_all_complete(&harness, "all take their turns, in the order of the plan, and the segment is gone",
                      scene_of(NONE, -1, 0));
    test_all_complete(&harness, "a turn of several parts has the limit for each of them", scene_of(EXTEND, 1, 3));
    test_losses(&harness);
    test_refused(&harness);
    test_leftovers(&harness);
    test_rewritten(&harness);
    return harness_end(&harness, "test_resident");
}
