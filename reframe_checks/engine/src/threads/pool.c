/* SPDX-License-Identifier: BSD-3-Clause */
/* pool.c: POSIX threads that wait by spinning (see pool.h). */
#include "threads/pool.h"

#include "base/affinity.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* A thread of the pool, on cache lines of its own. */
struct pool_thread {
    alignas(POOL_LINE) _Atomic uint32_t ended; /* its last execution */
    struct pool *pool;
    int number;
    pthread_t handle;
};

struct pool {
    alignas(POOL_LINE) _Atomic uint32_t begun; /* the current execution, by its number from 1 on */
    void (*work)(void *context, int thread);   /* NULL: the threads end */
    void *context;
    alignas(POOL_LINE) struct pool_thread *threads;
    int count;
    bool yields;
    cpu_set_t *allowed; /* where the caller could run before; NULL: it was not pinned */
};

static void pool_wait(const struct pool *pool, const _Atomic uint32_t *value, uint32_t expected)
{
    while (atomic_load_explicit(value, memory_order_acquire) != expected) {
        if (pool->yields)
            sched_yield();
#if defined(__x86_64__)
        else
            __builtin_ia32_pause();
#endif
    }
}

static void *pool_thread(void *argument)
{
    struct pool_thread *const thread = argument;
    struct pool *const pool = thread->pool;
    for (uint32_t execution = 1;; execution++) {
        pool_wait(pool, &pool->begun, execution);
        if (pool->work == NULL)
            return NULL;
        pool->work(pool->context, thread->number);
        atomic_store_explicit(&thread->ended, execution, memory_order_release);
    }
}

static uint32_t pool_begin(struct pool *pool, void (*work)(void *context, int thread), void *context)
{
    const uint32_t execution = atomic_load_explicit(&pool->begun, memory_order_relaxed) + 1;
    pool->work = work;
    pool->context = context;
    atomic_store_explicit(&pool->begun, execution, memory_order_release);
    return execution;
}

void pool_run(struct pool *pool, void (*work)(void *context, int thread), void *context)
{
    const uint32_t execution = pool_begin(pool, work, context);
    work(context, 0);
    for (int thread = 1; thread < pool->count; thread++)
        pool_wait(pool, &pool->threads[thread].ended, execution);
}

/* Pin a thread to one processor; return an error number. */
static int pool_pin(pthread_t handle, int processor)
{
    const size_t bytes = CPU_ALLOC_SIZE(AFFINITY_CPUS);
    cpu_set_t *const set = CPU_ALLOC(AFFINITY_CPUS);
    if (set == NULL)
        return ENOMEM;
    CPU_ZERO_S(bytes, set);
    CPU_SET_S((size_t)processor, bytes, set);
    const int error = pthread_setaffinity_np(handle, bytes, set);
    CPU_FREE(set);
    return error;
}

/* Pin the caller, after noting where it could run. */
static int pool_pin_caller(struct pool *pool, int processor)
{
    const size_t bytes = CPU_ALLOC_SIZE(AFFINITY_CPUS);
    pool->allowed = CPU_ALLOC(AFFINITY_CPUS);
    if (pool->allowed == NULL)
        return ENOMEM;
    const int error = pthread_getaffinity_np(pthread_self(), bytes, pool->allowed);
    return error != 0 ? error : pool_pin(pthread_self(), processor);
}

/* Start the threads, which inherit that all signals are blocked; return an error number. */
static int pool_start(struct pool *pool, int count, const int *processors)
{
    sigset_t all, before;
    int error = processors == NULL ? 0 : pool_pin_caller(pool, processors[0]);
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    for (; error == 0 && pool->count < count; pool->count++) {
        struct pool_thread *const thread = &pool->threads[pool->count];
        thread->pool = pool;
        thread->number = pool->count;
        error = pthread_create(&thread->handle, NULL, pool_thread, thread);
        if (error != 0)
            break;
        if (processors != NULL)
            error = pool_pin(thread->handle, processors[pool->count]);
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return error;
}

void *pool_allocate(size_t bytes)
{
    const size_t whole = (bytes / POOL_LINE + 1) * POOL_LINE;
    void *const memory = aligned_alloc(POOL_LINE, whole);
    return memory == NULL ? NULL : memset(memory, 0, whole);
}

int pool_open(struct pool **pool, int count, const int *processors, struct fault *fault)
{
    struct pool *const opened = pool_allocate(sizeof *opened);
    struct pool_thread *const threads = pool_allocate((size_t)count * sizeof *threads);
    *pool = NULL;
    if (opened == NULL || threads == NULL) {
        free(opened);
        free(threads);
        return fault_set(fault, FAULT_SYSTEM, "out of memory for %d threads", count);
    }
    opened->threads = threads;
    opened->count = 1;
    opened->yields = processors == NULL;
    const int error = pool_start(opened, count, processors);
    if (error != 0) {
        pool_close(opened);
        return fault_set(fault, FAULT_SYSTEM, "--threads %d: a thread cannot be started or pinned: %s", count,
                         strerror(error));
    }
    *pool = opened;
    return 0;
}

void pool_close(struct pool *pool)
{
    if (pool == NULL)
        return;
    pool_begin(pool, NULL, NULL);
    for (int thread = 1; thread < pool->count; thread++)
        pthread_join(pool->threads[thread].handle, NULL);
    if (pool->allowed != NULL)
        pthread_setaffinity_np(pthread_self(), CPU_ALLOC_SIZE(AFFINITY_CPUS), pool->allowed);
    CPU_FREE(pool->allowed);
    free(pool->threads);
    free(pool);
}
