/* SPDX-License-Identifier: BSD-3-Clause */
/* test_threads.c: every thread executes once each time, where it is pinned to; how processes divide processors. */
#include "harness.h"
#include "threads/pool.h"
#include "threads/processors.h"

#include <sched.h>
#include <stdatomic.h>
#include <string.h>

enum { THREADS = 5, EXECUTIONS = 200 };

/* What the threads of a pool have done. */
struct record {
    int executions[THREADS]; /* each written by one thread */
    int processor[THREADS];
    _Atomic int sum;
};

static void work(void *context, int thread)
{
    struct record *const record = context;
    record->executions[thread]++;
    record->processor[thread] = sched_getcpu();
    atomic_fetch_add(&record->sum, thread + 1);
}

static void test_pool(struct harness *harness, int count)
{
    struct record record = {0};
    struct fault fault = {0};
    struct pool *pool = NULL;
    int expected = 0;
    harness_is(harness, pool_open(&pool, count, NULL, &fault) == 0 && pool != NULL);
    for (int execution = 1; execution <= EXECUTIONS; execution++) {
        pool_run(pool, work, &record);
        expected += count * (count + 1) / 2;
        harness_is(harness, record.sum == expected); /* all have ended */
    }
    pool_close(pool);
    for (int thread = 0; thread < THREADS; thread++)
        harness_is(harness, record.executions[thread] == (thread < count ? EXECUTIONS : 0));
}

/* Pin all threads to the first processor of this process. */
static void test_pinned(struct harness *harness)
{
    struct record record = {0};
    struct fault fault = {0};
    struct pool *pool = NULL;
    cpu_set_t before, after;
    int processors[3], first = -1;
    harness_case(harness, "threads run where they are pinned to, and the caller where it could run before");
    sched_getaffinity(0, sizeof before, &before);
    for (size_t processor = CPU_SETSIZE; processor-- > 0;)
        first = CPU_ISSET(processor, &before) ? (int)processor : first;
    processors[0] = processors[1] = processors[2] = first;
    harness_is(harness, pool_open(&pool, 3, processors, &fault) == 0);
    for (int execution = 0; execution < 3; execution++)
        pool_run(pool, work, &record);
    for (int thread = 0; thread < 3; thread++)
        harness_is(harness, record.executions[thread] == 3 && record.processor[thread] == first);
    pool_close(pool);
    sched_getaffinity(0, sizeof after, &after);
    harness_is(harness, CPU_EQUAL(&before, &after));
}

static void test_refused(struct harness *harness)
{
    const int processors[2] = {PROCESSORS_MAX - 1, PROCESSORS_MAX - 1};
    struct fault fault = {0};
    struct pool *pool = NULL;
    harness_case(harness, "a processor that does not exist is a fault, and no thread is left");
    harness_is(harness, pool_open(&pool, 2, processors, &fault) == FAULT_SYSTEM && pool == NULL);
    harness_is(harness, strstr(fault.text, "--threads 2: a thread cannot be started or pinned: ") == fault.text);
    pool_close(pool);
}

/* Two hardware threads for each core: 0 and 4, 1 and 5, ... */
static int core_of_four(int processor)
{
    return processor % 4;
}

/* The two of a core have neighbouring numbers. */
static int core_of_pairs(int processor)
{
    return processor / 2 * 2;
}

static struct processors range(int first, int last)
{
    struct processors set = {0};
    for (int processor = first; processor <= last; processor++)
        processors_add(&set, processor);
    return set;
}

/* Return true if process `index` of `count` gets the two processors a and b for two threads. */
static bool gets(const struct processors *sets, int count, int index, int (*core)(int processor), int a, int b)
{
    int chosen[2] = {-1, -1};
    return processors_divide(sets, count, index, 2, core, chosen) == 2 && chosen[0] == a && chosen[1] == b;
}

static void test_divide(struct harness *harness)
{
    const struct processors all = range(0, 7), low = range(0, 3), high = range(4, 7);
    const struct processors same[3] = {all, all, all}, disjoint[2] = {low, high}, overlapping[2] = {low, all};
    const struct processors one = range(3, 3), none = {0};
    int chosen[4] = {-1, -1, -1, -1};
    harness_case(harness, "processes on the same processors divide them, cores first");
    harness_is(harness, gets(same, 3, 0, core_of_four, 0, 1) && gets(same, 3, 1, core_of_four, 2, 3));
    harness_is(harness, gets(same, 3, 2, core_of_four, 4, 5));
    harness_is(harness, gets(same, 2, 0, core_of_pairs, 0, 2) && gets(same, 2, 1, core_of_pairs, 4, 6));
    harness_case(harness, "processes on different processors each have their first");
    harness_is(harness, gets(disjoint, 2, 0, core_of_four, 0, 1) && gets(disjoint, 2, 1, core_of_four, 4, 5));
    harness_case(harness, "too few processors, and those that overlap in part, are for nobody");
    harness_is(harness, processors_divide(same, 3, 0, 3, core_of_four, chosen) == 0);
    harness_is(harness, processors_divide(overlapping, 2, 0, 1, core_of_four, chosen) == 0);
    harness_is(harness, processors_divide(&one, 1, 0, 2, core_of_four, chosen) == 0 && chosen[0] == -1);
    harness_is(harness, processors_divide(&none, 1, 0, 1, core_of_four, chosen) == 0);
    harness_is(harness, processors_divide(&one, 1, 0, 1, core_of_four, chosen) == 1 && chosen[0] == 3);
}

/* Return true if this process may run on a processor of the set. */
static bool has_any(const struct processors *set)
{
    uint64_t words = 0;
    for (int i = 0; i < PROCESSORS_WORDS; i++)
        words |= set->words[i];
    return words != 0;
}

static void test_machine(struct harness *harness)
{
    struct processors here;
    int chosen[1] = {-1};
    harness_case(harness, "this process has a processor, and its core is a processor");
    processors_read(&here);
    harness_is(harness, has_any(&here));
    harness_is(harness, processors_divide(&here, 1, 0, 1, processors_core, chosen) == 1 && chosen[0] >= 0);
    harness_is(harness, processors_core(chosen[0]) >= 0 && processors_core(PROCESSORS_MAX) == PROCESSORS_MAX);
}

int main(void)
{
    struct harness harness = {0};
    harness_case(&harness, "the caller alone");
    test_pool(&harness, 1);
    harness_case(&harness, "two threads");
    test_pool(&harness, 2);
    harness_case(&harness, "more threads than processors, perhaps");
    test_pool(&harness, THREADS);
    test_pinned(&harness);
    test_refused(&harness);
    test_divide(&harness);
    test_machine(&harness);
    return harness_end(&harness, "test_threads");
}
