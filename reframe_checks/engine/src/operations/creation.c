/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * creation.c: communicators and windows that all processes make together.
 *
 * What a repetition has made is freed after it, untimed; in loops each is freed before the next, within the time. With
 * --check each process sends a message through it to the next process before it is freed: it arrives at the right one
 * only if size and order of the ranks are right.
 *
 * The new communicators have all processes, those of comm-split and comm-create-group in the opposite order, which no
 * library takes from the old one.
 */
#include "call/messages.h"

#include <string.h>

/* What the library refuses the first time is not supported; later it is an error. */
static int creation_note(struct call *call, int result)
{
    struct call_made *const made = &call->made;
    if (result == MPI_SUCCESS) {
        made->any = true;
        return result;
    }
    made->comm = MPI_COMM_NULL;
    made->window = MPI_WIN_NULL;
    call->refused = !made->any;
    return call->refused ? MPI_SUCCESS : result;
}

/* Free what was made last, if it is not free yet. */
static int creation_free(struct call *call)
{
    struct call_made *const made = &call->made;
    if (made->window != MPI_WIN_NULL)
        return MPI_Win_free(&made->window);
    return made->comm != MPI_COMM_NULL ? MPI_Comm_free(&made->comm) : MPI_SUCCESS;
}

/* From any process: in a wrong order the message of another one arrives, and none waits for ever. */
static int creation_send(const struct call *call, int to)
{
    int size = 0;
    const int result = MPI_Comm_size(call->made.comm, &size);
    if (result != MPI_SUCCESS || size != call->size)
        return result != MPI_SUCCESS ? result : MPI_ERR_COMM;
    return MPI_Sendrecv(call->send, call->plain.send, call->type, to, MESSAGES_TAG, call->recv, call->plain.recv,
                        call->type, MPI_ANY_SOURCE, MESSAGES_TAG, call->made.comm, MPI_STATUS_IGNORE);
}

static int creation_finish_comm(struct call *call, int to)
{
    const bool sends = call->checked && call->made.comm != MPI_COMM_NULL;
    const int result = sends ? creation_send(call, to) : MPI_SUCCESS;
    return result != MPI_SUCCESS ? result : creation_free(call);
}

static int creation_finish_same(struct call *call)
{
    return creation_finish_comm(call, call->sent.peers[0]);
}

static int creation_finish_opposite(struct call *call)
{
    return creation_finish_comm(call, call->size - 1 - call->sent.peers[0]);
}

/* The data are of the check: a message to the next process. */
#define CREATION .group = "creation", OPERATION_AMONG(messages_chain_peers), .makes = true, .ready = creation_free

static int creation_comm_dup(struct call *call)
{
    return creation_note(call, MPI_Comm_dup(call->comm, &call->made.comm));
}

const struct operation operation_comm_dup = {
    .bytes_means = "none: MPI_Comm_dup",
    .shape = OPERATION_NO_DATA,
    CREATION,
    .fixed_count = 1,
    .execute = creation_comm_dup,
    .finish = creation_finish_same,
};

static int creation_comm_split(struct call *call)
{
    return creation_note(call, MPI_Comm_split(call->comm, 0, call->size - call->rank, &call->made.comm));
}

const struct operation operation_comm_split = {
    .bytes_means = "none: MPI_Comm_split",
    .shape = OPERATION_NO_DATA,
    CREATION,
    .fixed_count = 1,
    .execute = creation_comm_split,
    .finish = creation_finish_opposite,
};

/* The group of all processes is made once. */
static int creation_group(struct call *call)
{
    int range[1][3] = {{call->size - 1, 0, -1}};
    MPI_Group all = MPI_GROUP_NULL;
    if (call->made.group != MPI_GROUP_NULL)
        return MPI_SUCCESS;
    int result = MPI_Comm_group(call->comm, &all);
    if (result == MPI_SUCCESS)
        result = MPI_Group_range_incl(all, 1, range, &call->made.group);
    if (all != MPI_GROUP_NULL)
        MPI_Group_free(&all);
    return result;
}

static int creation_comm_create_group(struct call *call)
{
    return creation_note(call, MPI_Comm_create_group(call->comm, call->made.group, MESSAGES_TAG, &call->made.comm));
}

const struct operation operation_comm_create_group = {
    .bytes_means = "none: MPI_Comm_create_group",
    .shape = OPERATION_NO_DATA,
    CREATION,
    .fixed_count = 1,
    .before = creation_group,
    .execute = creation_comm_create_group,
    .finish = creation_finish_opposite,
};

/* Put into the memory of the next process. */
static int creation_put(const struct call *call)
{
    const int count = call->plain.send;
    const MPI_Win window = call->made.window;
    int result = MPI_Win_fence(0, window);
    if (result == MPI_SUCCESS)
        result = MPI_Put(call->send, count, call->type, call->sent.peers[0], 0, count, call->type, window);
    return result != MPI_SUCCESS ? result : MPI_Win_fence(0, window);
}

static int creation_finish_window(struct call *call)
{
    const bool puts = call->checked && call->made.window != MPI_WIN_NULL;
    const int result = puts ? creation_put(call) : MPI_SUCCESS;
    if (result == MPI_SUCCESS && puts && call->made.memory != NULL && call->recv_bytes > 0)
        memcpy(call->recv, call->made.memory, call->recv_bytes);
    return result != MPI_SUCCESS ? result : creation_free(call);
}

static int creation_win_create(struct call *call)
{
    const MPI_Aint bytes = (MPI_Aint)call->recv_bytes;
    return creation_note(call, MPI_Win_create(call->recv, bytes, 1, MPI_INFO_NULL, call->comm, &call->made.window));
}

const struct operation operation_win_create = {
    .bytes_means = "the memory of each process in the window",
    .shape = OPERATION_VECTOR,
    CREATION,
    .execute = creation_win_create,
    .finish = creation_finish_window,
};

static int creation_win_allocate(struct call *call)
{
    struct call_made *const made = &call->made;
    const MPI_Aint bytes = (MPI_Aint)call->recv_bytes;
    return creation_note(call, MPI_Win_allocate(bytes, 1, MPI_INFO_NULL, call->comm, &made->memory, &made->window));
}

const struct operation operation_win_allocate = {
    .bytes_means = "the memory of each process in the window",
    .shape = OPERATION_VECTOR,
    CREATION,
    .execute = creation_win_allocate,
    .finish = creation_finish_window,
};
