/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * system_calls.c: counts calls into the operating system within what a program
 * times, loaded before it (LD_PRELOAD).
 *
 * What lies between two calls of MPI_Wtime is timed; the calls by all threads
 * of the process count. At its end a process writes ISOCHRON_SYSTEM_CALLS, with
 * its number as suffix: a line "timed COUNT", then "NAME COUNT" for each
 * function that was called. Functions of the C library are seen, not
 * instructions that enter the kernel by themselves.
 */
#include <dlfcn.h>
#include <poll.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

/* Result, name, parameters, arguments. */
#define FUNCTIONS(X)                                                                                                   \
    X(int, sched_yield, (void), ())                                                                                    \
    X(int, nanosleep, (const struct timespec *a, struct timespec *b), (a, b))                                          \
    X(int, clock_nanosleep, (clockid_t a, int b, const struct timespec *c, struct timespec *d), (a, b, c, d))          \
    X(int, usleep, (useconds_t a), (a))                                                                                \
    X(int, poll, (struct pollfd * a, nfds_t b, int c), (a, b, c))                                                      \
    X(int, select, (int a, fd_set *b, fd_set *c, fd_set *d, struct timeval *e), (a, b, c, d, e))                       \
    X(int, epoll_wait, (int a, struct epoll_event *b, int c, int d), (a, b, c, d))                                     \
    X(ssize_t, read, (int a, void *b, size_t c), (a, b, c))                                                            \
    X(ssize_t, write, (int a, const void *b, size_t c), (a, b, c))                                                     \
    X(ssize_t, readv, (int a, const struct iovec *b, int c), (a, b, c))                                                \
    X(ssize_t, writev, (int a, const struct iovec *b, int c), (a, b, c))                                               \
    X(ssize_t, send, (int a, const void *b, size_t c, int d), (a, b, c, d))                                            \
    X(ssize_t, recv, (int a, void *b, size_t c, int d), (a, b, c, d))                                                  \
    X(ssize_t, sendmsg, (int a, const struct msghdr *b, int c), (a, b, c))                                             \
    X(ssize_t, recvmsg, (int a, struct msghdr *b, int c), (a, b, c))                                                   \
    X(ssize_t, process_vm_readv,                                                                                       \
      (pid_t a, const struct iovec *b, unsigned long c, const struct iovec *d, unsigned long e, unsigned long f),      \
      (a, b, c, d, e, f))                                                                                              \
    X(ssize_t, process_vm_writev,                                                                                      \
      (pid_t a, const struct iovec *b, unsigned long c, const struct iovec *d, unsigned long e, unsigned long f),      \
      (a, b, c, d, e, f))                                                                                              \
    X(void *, mmap, (void *a, size_t b, int c, int d, int e, off_t f), (a, b, c, d, e, f))                             \
    X(int, munmap, (void *a, size_t b), (a, b))                                                                        \
    X(int, madvise, (void *a, size_t b, int c), (a, b, c))

#define INDEX(result, name, parameters, arguments) INDEX_##name,
#define NAME(result, name, parameters, arguments) #name,
enum { FUNCTIONS(INDEX) COUNT };
static const char *const names[] = {FUNCTIONS(NAME)};

static atomic_long counts[COUNT], timed_parts;
static atomic_bool timed;

static void count(int function)
{
    if (atomic_load_explicit(&timed, memory_order_relaxed))
        atomic_fetch_add_explicit(&counts[function], 1, memory_order_relaxed);
}

/* POSIX: what dlsym returns is stored as if the pointer to the function were
 * one to an object. */
#define WRAP(result, name, parameters, arguments)                                                                      \
    result name parameters                                                                                             \
    {                                                                                                                  \
        static result(*next) parameters;                                                                               \
        if (next == NULL)                                                                                              \
            *(void **)&next = dlsym(RTLD_NEXT, #name);                                                                 \
        count(INDEX_##name);                                                                                           \
        return next arguments;                                                                                         \
    }
FUNCTIONS(WRAP)

double MPI_Wtime(void)
{
    static double (*next)(void);
    if (next == NULL)
        *(void **)&next = dlsym(RTLD_NEXT, "MPI_Wtime");
    const bool begins = !atomic_load(&timed);
    if (!begins)
        atomic_store(&timed, false);
    const double now = next();
    if (begins) {
        atomic_fetch_add(&timed_parts, 1);
        atomic_store(&timed, true);
    }
    return now;
}

__attribute__((destructor)) static void write_counts(void)
{
    const char *const path = getenv("ISOCHRON_SYSTEM_CALLS");
    char own[4096];
    if (path == NULL || atomic_load(&timed_parts) == 0 ||
        snprintf(own, sizeof own, "%s.%ld", path, (long)getpid()) >= (int)sizeof own)
        return;
    FILE *const file = fopen(own, "w");
    if (file == NULL)
        return;
    fprintf(file, "timed %ld\n", atomic_load(&timed_parts));
    for (int i = 0; i < COUNT; i++)
        if (atomic_load(&counts[i]) > 0)
            fprintf(file, "%s %ld\n", names[i], atomic_load(&counts[i]));
    fclose(file);
}
