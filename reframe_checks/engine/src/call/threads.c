/* SPDX-License-Identifier: BSD-3-Clause */
/* threads.c: the calls of several threads (see threads.h). */
#include "call/threads.h"

#include "machine/errors.h"
#include "machine/team.h"
#include "operation/operation.h"

#include <stdlib.h>

static size_t threads_round_up(size_t bytes, size_t unit)
{
    return (bytes + unit - 1) / unit * unit;
}

/* Copy the call, without what a thread must not share; false if memory is short. */
static bool threads_copy(const struct call *call, int thread, struct call *copy)
{
    const int n = call->requests == NULL ? 0 : call->sent.blocks + call->received.blocks + 1;
    *copy = *call;
    copy->thread = thread;
    copy->threads = NULL;
    copy->owns_comm = false;
    copy->requests = n == 0 ? NULL : pool_allocate((size_t)n * sizeof *copy->requests);
    for (int i = 0; copy->requests != NULL && i < n; i++)
        copy->requests[i] = MPI_REQUEST_NULL;
    return n == 0 || copy->requests != NULL;
}

static struct threads *threads_make(const struct call *call)
{
    struct threads *const threads = calloc(1, sizeof *threads);
    if (threads == NULL)
        return NULL;
    threads->calls = pool_allocate((size_t)call->thread_count * sizeof *threads->calls);
    while (threads->calls != NULL && threads->count < call->thread_count &&
           threads_copy(call, threads->count, &threads->calls[threads->count].call))
        threads->count++;
    return threads;
}

/* A communicator for each thread. */
static int threads_make_comms(struct threads *threads, struct fault *fault)
{
    for (int i = 0; i < threads->count; i++) {
        struct call *const call = &threads->calls[i].call;
        MPI_Comm copy = MPI_COMM_NULL;
        int result = MPI_Comm_dup(call->comm, &copy);
        if (result == MPI_SUCCESS)
            result = errors_return_comm(copy);
        if (team_mpi(fault, result, "MPI_Comm_dup"))
            return (int)fault->code;
        call->comm = copy;
        call->owns_comm = true;
    }
    return 0;
}

int threads_open(struct call *call, struct fault *fault)
{
    const struct operation *const operation = call->operation;
    const bool has_peer = operation->sends != SHARE_PEERS || call->sent.blocks + call->received.blocks > 0;
    if (operation->in_thread == NULL)
        return 0;
    call->threads = threads_make(call);
    if (call->threads == NULL || call->threads->count < call->thread_count)
        return fault_set(fault, FAULT_SYSTEM, "out of memory for the calls of %d threads", call->thread_count);
    if (operation->form == FORM_THREADS_COMMS && threads_make_comms(call->threads, fault))
        return (int)fault->code;
    call->messages *= call->thread_count;
    call->send_bytes = threads_round_up(call->send_bytes, call->alignment) * (size_t)call->thread_count;
    call->recv_bytes = threads_round_up(call->recv_bytes, call->alignment) * (size_t)call->thread_count;
    return pool_open(&call->threads->pool, has_peer && !call->idle ? call->thread_count : 1, call->processors, fault);
}

void threads_bind(const struct call *call)
{
    for (int i = 0; call->threads != NULL && i < call->threads->count; i++) {
        struct call *const bound = &call->threads->calls[i].call;
        bound->send = (char *)call->send + threads_round_up(bound->send_bytes, call->alignment) * (size_t)i;
        bound->recv = (char *)call->recv + threads_round_up(bound->recv_bytes, call->alignment) * (size_t)i;
        bound->root = call->root;
        call_bind(bound);
    }
}

static void threads_work(void *context, int thread)
{
    const struct call *const call = context;
    struct thread_call *const made = &call->threads->calls[thread];
    made->call.root = call->root;
    made->result = call->operation->in_thread(&made->call);
}

int threads_execute(struct call *call)
{
    const struct threads *const threads = call->threads;
    int result = MPI_SUCCESS;
    pool_run(threads->pool, threads_work, call);
    for (int i = 0; i < threads->count && result == MPI_SUCCESS; i++)
        result = threads->calls[i].result;
    return result;
}

void threads_close(struct call *call)
{
    struct threads *const threads = call->threads;
    if (threads == NULL)
        return;
    pool_close(threads->pool);
    for (int i = 0; i < threads->count; i++) {
        struct call *const made = &threads->calls[i].call;
        free(made->requests);
        if (made->owns_comm)
            MPI_Comm_free(&made->comm);
    }
    free(threads->calls);
    free(threads);
    call->threads = NULL;
}
