/* SPDX-License-Identifier: BSD-3-Clause */
/* call.c: derives the arguments of MPI calls from an operation's description (see call.h). */
#include "call/call.h"

#include "machine/team.h"
#include "operation/layout.h"
#include "operation/operation.h"

#include <limits.h>
#include <stdlib.h>

enum { CALL_MORE_PEERS = 8 }; /* a topology can name a rank twice */

static int64_t call_elements(const struct call *call, int source, int destination)
{
    const struct layout layout = {call->operation, call->unbalanced, call->graph, call->size, call->count};
    return layout_elements(&layout, source, destination);
}

bool call_next_block(const struct call *call, bool sent, struct call_block *block)
{
    const struct call_side *const side = sent ? &call->sent : &call->received;
    const bool single = (sent ? call->operation->sends : call->operation->receives) == SHARE_BLOCK;
    const int i = block->index + 1;
    if (i >= side->blocks)
        return false;
    block->first += block->elements;
    block->index = i;
    block->peer = side->peers != NULL ? side->peers[i] : single ? call->root : i;
    block->elements =
        sent ? call_elements(call, call->rank, block->peer) : call_elements(call, block->peer, call->rank);
    return true;
}

bool call_takes_part(const struct call *call, bool sent)
{
    return call->operation->root != (sent ? ROOT_SENDS : ROOT_RECEIVES) || call->rank == call->root;
}

static int call_out_of_memory(const struct call *call, struct fault *fault)
{
    return fault_set(fault, FAULT_SYSTEM, "out of memory for the arguments of %s on %d ranks", call->operation->name,
                     call->size);
}

/* Name all peers again for every message of a burst. */
static int call_repeat_peers(struct call *call, struct call_side *side, struct fault *fault)
{
    const size_t peers = (size_t)side->blocks, blocks = peers * (size_t)call->burst;
    int *const repeated = calloc(blocks + 1, sizeof *repeated);
    if (repeated == NULL)
        return call_out_of_memory(call, fault);
    for (size_t i = 0; i < blocks; i++)
        repeated[i] = side->peers[i % peers];
    free(side->peers);
    side->peers = repeated;
    side->blocks = (int)blocks;
    return 0;
}

static int call_open_side(struct call *call, bool sent, struct fault *fault)
{
    const struct operation *const operation = call->operation;
    struct call_side *const side = sent ? &call->sent : &call->received;
    const enum operation_share share = sent ? operation->sends : operation->receives;
    if (!call->any_root && !call_takes_part(call, sent))
        return 0;
    side->blocks = share == SHARE_NOTHING ? 0 : share == SHARE_EACH ? call->size : 1;
    if (share == SHARE_PEERS) {
        side->peers = calloc((size_t)call->size + CALL_MORE_PEERS, sizeof *side->peers);
        if (side->peers == NULL)
            return call_out_of_memory(call, fault);
        side->blocks = operation->peers(call, sent, side->peers);
        if (operation->bursts && call_repeat_peers(call, side, fault))
            return (int)fault->code;
    }
    struct call_block block = {.index = -1};
    while (call_next_block(call, sent, &block))
        if (__builtin_mul_overflow(block.first + block.elements, call->element.extent, &side->bytes))
            return fault_set(fault, FAULT_USAGE,
                             "--sizes: %lld bytes of --datatype %s exceed the address range of %s on %d processes",
                             (long long)call->bytes, call->type_name, operation->name, call->size);
    return 0;
}

/* Fill the arrays of a vector variant, of the type that its MPI call takes. */
static int call_open_counts(struct call *call, bool sent, struct fault *fault)
{
    const size_t n = (size_t)call->size + CALL_MORE_PEERS;
    const bool large = call->large_counts;
    int **const counts = sent ? &call->plain.sends : &call->plain.recvs;
    int **const displacements = sent ? &call->plain.send_displacements : &call->plain.recv_displacements;
    MPI_Count **const large_counts = sent ? &call->large.sends : &call->large.recvs;
    MPI_Aint **const addresses = sent ? &call->large.send_displacements : &call->large.recv_displacements;
    *counts = large ? NULL : calloc(n, sizeof **counts);
    *displacements = large ? NULL : calloc(n, sizeof **displacements);
    *large_counts = large ? calloc(n, sizeof **large_counts) : NULL;
    *addresses = calloc(n, sizeof **addresses);
    if (*addresses == NULL || (large ? *large_counts == NULL : *counts == NULL || *displacements == NULL))
        return call_out_of_memory(call, fault);
    const int unit = call->operation->typed ? call->element.extent : 1;
    for (struct call_block block = {.index = -1}; call_next_block(call, sent, &block);) {
        const int64_t displacement = block.first * unit;
        (*addresses)[block.index] = (MPI_Aint)displacement;
        if (large) {
            (*large_counts)[block.index] = (MPI_Count)block.elements;
            continue;
        }
        if (displacement > INT_MAX || block.elements > INT_MAX)
            return fault_set(fault, FAULT_USAGE,
                             "--sizes: %lld bytes need displacements beyond an int for %s on %d "
                             "processes; add --large-counts",
                             (long long)call->bytes, call->operation->name, call->size);
        (*counts)[block.index] = (int)block.elements;
        (*displacements)[block.index] = (int)displacement;
    }
    return 0;
}

static int call_open_types(struct call *call, struct fault *fault)
{
    const size_t n = (size_t)call->size + CALL_MORE_PEERS;
    call->types = calloc(n, sizeof *call->types);
    if (call->types == NULL)
        return call_out_of_memory(call, fault);
    for (size_t i = 0; i < n; i++)
        call->types[i] = call->type;
    return 0;
}

static int call_open_requests(struct call *call, struct fault *fault)
{
    const int n = call->sent.blocks + call->received.blocks;
    call->requests = calloc((size_t)n + 1, sizeof *call->requests);
    if (call->requests == NULL)
        return call_out_of_memory(call, fault);
    for (int i = 0; i < n; i++)
        call->requests[i] = MPI_REQUEST_NULL;
    return 0;
}

/* On rank 0: count the messages of all processes, which know their own. */
static int call_count_messages(struct call *call, struct fault *fault)
{
    struct call other = *call;
    int *const peers = calloc((size_t)call->size + CALL_MORE_PEERS, sizeof *peers);
    if (peers == NULL)
        return call_out_of_memory(call, fault);
    for (other.rank = 0; other.rank < call->size; other.rank++)
        call->messages += (int64_t)call->operation->peers(&other, true, peers) * call->burst;
    free(peers);
    return 0;
}

/* Attach a buffer of the requested size, or for the messages between two agreements, after which all have arrived. */
static int call_attach(struct call *call, struct fault *fault)
{
    const int64_t per_rep = call->sent.bytes + (int64_t)call->sent.blocks * MPI_BSEND_OVERHEAD;
    int64_t bytes = call->send_buffer;
    if (bytes > 0 && bytes < per_rep)
        return fault_set(fault, FAULT_USAGE,
                         "--send-buffer %lld: the messages of one repetition of %lld bytes need %lld; raise it",
                         (long long)bytes, (long long)call->bytes, (long long)per_rep);
    if (bytes == 0 && (__builtin_mul_overflow(call->buffered, per_rep, &bytes) || bytes > INT_MAX))
        return fault_set(fault, FAULT_USAGE,
                         "--buffered-sends: the messages of %lld runs of %lld bytes are more than MPI_Buffer_attach "
                         "takes; lower --batch",
                         (long long)call->buffered, (long long)call->bytes);
    if (bytes == 0)
        return 0;
    call->attached = malloc((size_t)bytes);
    if (call->attached == NULL)
        return call_out_of_memory(call, fault);
    return team_mpi(fault, MPI_Buffer_attach(call->attached, (int)bytes), "MPI_Buffer_attach");
}

static void call_detach(struct call *call)
{
    void *buffer = NULL;
    int bytes = 0;
    if (call->attached != NULL)
        MPI_Buffer_detach(&buffer, &bytes);
    free(call->attached);
}

static int call_open_packed(struct call *call, struct fault *fault)
{
    if (team_mpi(fault, MPI_Pack_size(call->plain.send, call->type, call->comm, &call->packed_bytes), "MPI_Pack_size"))
        return (int)fault->code;
    call->packed = calloc((size_t)call->packed_bytes + 1, 1);
    return call->packed == NULL ? call_out_of_memory(call, fault) : 0;
}

int call_open(struct call *call, struct fault *fault)
{
    const struct operation *const operation = call->operation;
    call->request = MPI_REQUEST_NULL;
    if ((operation->prepare != NULL && operation->prepare(call, fault)) || call_open_side(call, true, fault) ||
        call_open_side(call, false, fault))
        return (int)fault->code;
    if (operation->varied && (call_open_counts(call, true, fault) || call_open_counts(call, false, fault)))
        return (int)fault->code;
    if ((operation->typed && call_open_types(call, fault)) ||
        (operation->sends == SHARE_PEERS && call_open_requests(call, fault)))
        return (int)fault->code;
    if (call->buffered > 0 && call_attach(call, fault))
        return (int)fault->code;
    if (operation->bursts && call->rank == 0 && !call->idle && call_count_messages(call, fault))
        return (int)fault->code;
    /* The block of this process; if one count applies to many blocks, they are equal. */
    call->large.send = operation->sends == SHARE_BLOCK ? call_elements(call, call->rank, call->rank) : call->count;
    call->large.recv = operation->receives == SHARE_BLOCK ? call_elements(call, call->rank, call->rank) : call->count;
    call->plain.send = (int)call->large.send;
    call->plain.recv = (int)call->large.recv;
    if (operation->packs && !call->idle && call_open_packed(call, fault))
        return (int)fault->code;
    const bool shared = call->in_place || operation->one_buffer;
    const bool input_is_longer = shared && call->sent.bytes > call->received.bytes;
    call->send_bytes = (size_t)call->sent.bytes;
    call->recv_bytes = (size_t)(input_is_longer ? call->sent.bytes : call->received.bytes);
    if (operation->exposes != EXPOSES_NOTHING) /* the buffers of two processes are in the same places */
        call->send_bytes = call->recv_bytes =
            (size_t)(call->sent.bytes > call->received.bytes ? call->sent.bytes : call->received.bytes);
    return 0;
}

/* Return the offset in bytes of this process's own block in the receive buffer. */
static int64_t call_local_offset(const struct call *call)
{
    struct call_block block = {.index = -1};
    while (call_next_block(call, false, &block) && block.peer != call->rank)
        continue;
    return block.first * call->element.extent;
}

/* MPI_IN_PLACE replaces the buffer that the standard names, on the root alone if there is one. */
static void call_bind_in_place(struct call *call)
{
    const struct operation *const operation = call->operation;
    if (operation->root == ROOT_SENDS) {
        call->recv = MPI_IN_PLACE;
        call->output = NULL;
        return;
    }
    call->send = MPI_IN_PLACE;
    call->repeats = operation->sends == SHARE_BLOCK && operation->receives == SHARE_EACH;
    call->input = call->output + (call->repeats ? call_local_offset(call) : 0);
}

void call_bind(struct call *call)
{
    const struct operation *const operation = call->operation;
    call->input = operation->one_buffer ? call->recv : call->send;
    call->output = call->recv;
    call->repeats = !operation->updates;
    if (call->in_place && (operation->root == ROOT_NONE || call->rank == call->root))
        call_bind_in_place(call);
}

/* Free the requests of a persistent operation; others have none between repetitions. */
static void call_free_requests(struct call *call)
{
    if (call->operation == NULL || call->operation->setup == NULL)
        return;
    if (call->request != MPI_REQUEST_NULL)
        MPI_Request_free(&call->request);
    for (int i = 0; i < call->requests_made; i++)
        MPI_Request_free(&call->requests[i]);
    call->requests_made = 0;
}

int call_setup(struct call *call)
{
    if (call->operation->setup == NULL)
        return MPI_SUCCESS;
    call_free_requests(call);
    return call->operation->setup(call);
}

int call_wait(struct call *call)
{
    return MPI_Wait(&call->request, MPI_STATUS_IGNORE);
}

void call_release(struct call *call)
{
    call_free_requests(call);
    if (call->operation != NULL && call->made.group != MPI_GROUP_NULL)
        MPI_Group_free(&call->made.group);
    call_detach(call);
    free(call->packed);
    free(call->requests);
    free(call->types);
    free(call->sent.peers);
    free(call->received.peers);
    free(call->plain.sends);
    free(call->plain.recvs);
    free(call->plain.send_displacements);
    free(call->plain.recv_displacements);
    free(call->large.sends);
    free(call->large.recvs);
    free(call->large.send_displacements);
    free(call->large.recv_displacements);
    if (call->owns_comm)
        MPI_Comm_free(&call->comm);
    *call = (struct call){.type_name = call->type_name};
}
