/* SPDX-License-Identifier: BSD-3-Clause */
/* messages.c: groups, partners and single messages (see messages.h). */
#include "call/messages.h"

struct messages_group {
    int first; /* rank */
    int size;  /* 0: this process is idle */
    int index; /* of this process in the group */
};

static struct messages_group messages_group(const struct call *call)
{
    const int size = call->group_size > 0 ? call->group_size : call->operation->pairs ? 2 : call->size;
    const int first = call->rank / size * size;
    const bool active = first + size <= call->size && (first == 0 || call->operation->all_groups);
    return (struct messages_group){.first = first, .size = active ? size : 0, .index = call->rank - first};
}

int messages_pair_peers(const struct call *call, bool sending, int *ranks)
{
    (void)sending;
    const struct messages_group group = messages_group(call);
    if (group.size < 2 || group.index > 1)
        return 0;
    ranks[0] = group.first + 1 - group.index;
    return 1;
}

int messages_one_way_peers(const struct call *call, bool sending, int *ranks)
{
    return messages_group(call).index == (sending ? 0 : 1) ? messages_pair_peers(call, sending, ranks) : 0;
}

int messages_chain_peers(const struct call *call, bool sending, int *ranks)
{
    const struct messages_group group = messages_group(call);
    if (group.size == 0)
        return 0;
    ranks[0] = group.first + (group.index + (sending ? 1 : group.size - 1)) % group.size;
    return 1;
}

int messages_neighbour_peers(const struct call *call, bool sending, int *ranks)
{
    (void)sending;
    const struct messages_group group = messages_group(call);
    if (group.size == 0)
        return 0;
    ranks[0] = group.first + (group.index + group.size - 1) % group.size;
    ranks[1] = group.first + (group.index + 1) % group.size;
    return 2;
}

int messages_complete_peers(const struct call *call, bool sending, int *ranks)
{
    (void)sending;
    const struct messages_group group = messages_group(call);
    int count = 0;
    for (int i = 0; i < group.size; i++)
        if (i != group.index)
            ranks[count++] = group.first + i;
    return count;
}

int messages_star_peers(const struct call *call, bool sending, int *ranks)
{
    const struct messages_group group = messages_group(call);
    if (group.index == 0 || group.size == 0)
        return messages_complete_peers(call, sending, ranks);
    ranks[0] = group.first;
    return 1;
}

/* A process left over by an odd number has no partner. */
int messages_half_peers(const struct call *call, bool sending, int *ranks)
{
    (void)sending;
    const struct messages_group group = messages_group(call);
    const int half = group.size / 2;
    if (half == 0 || group.index >= 2 * half)
        return 0;
    ranks[0] = group.first + (group.index + half) % (2 * half);
    return 1;
}

/* All blocks are of the same size. */
static void *messages_block(const struct call_side *side, void *buffer, int i)
{
    return (char *)buffer + side->bytes / side->blocks * i;
}

int messages_send(struct call *call, int i)
{
    return (call->buffered > 0 ? MPI_Bsend : MPI_Send)(messages_block(&call->sent, call->send, i), call->plain.send,
                                                       call->type, call->sent.peers[i], messages_tag(call), call->comm);
}

int messages_recv(struct call *call, int i)
{
    return MPI_Recv(messages_block(&call->received, call->recv, i), call->plain.recv, call->type,
                    call->received.peers[i], messages_tag(call), call->comm, MPI_STATUS_IGNORE);
}

int messages_isend(struct call *call, int i, MPI_Request *request)
{
    return (call->buffered > 0 ? MPI_Ibsend : MPI_Isend)(messages_block(&call->sent, call->send, i), call->plain.send,
                                                         call->type, call->sent.peers[i], messages_tag(call),
                                                         call->comm, request);
}

int messages_irecv(struct call *call, int i, MPI_Request *request)
{
    return MPI_Irecv(messages_block(&call->received, call->recv, i), call->plain.recv, call->type,
                     call->received.peers[i], messages_tag(call), call->comm, request);
}

int messages_there_and_back(struct call *call)
{
    if (call->sent.blocks == 0)
        return MPI_SUCCESS;
    const bool begins = call->rank < call->sent.peers[0];
    const int result = (begins ? messages_send : messages_recv)(call, 0);
    return result != MPI_SUCCESS ? result : (begins ? messages_recv : messages_send)(call, 0);
}

int messages_sendrecv(struct call *call)
{
    if (call->sent.blocks == 0)
        return MPI_SUCCESS;
    return MPI_Sendrecv(call->send, call->plain.send, call->type, call->sent.peers[0], messages_tag(call), call->recv,
                        call->plain.recv, call->type, call->received.peers[0], messages_tag(call), call->comm,
                        MPI_STATUS_IGNORE);
}

int messages_exchange(struct call *call)
{
    const int in = call->received.blocks, out = call->sent.blocks;
    int result = MPI_SUCCESS;
    for (int i = 0; i < out && result == MPI_SUCCESS; i++)
        result = messages_isend(call, i, &call->requests[in + i]);
    for (int i = 0; i < in && result == MPI_SUCCESS; i++)
        result = messages_irecv(call, i, &call->requests[i]);
    return result != MPI_SUCCESS ? result : MPI_Waitall(in + out, call->requests, MPI_STATUSES_IGNORE);
}

int messages_burst(struct call *call)
{
    const int in = call->received.blocks, out = call->sent.blocks;
    const int64_t received = in > 0 ? call->received.bytes / in : 0, sent = out > 0 ? call->sent.bytes / out : 0;
    char *to = call->recv, *from = call->send;
    int result = MPI_SUCCESS;
    for (int i = 0; i < in && result == MPI_SUCCESS; i++, to += received)
        result = MPI_Irecv(to, call->plain.recv, call->type, call->received.peers[i], messages_tag(call), call->comm,
                           &call->requests[i]);
    for (int i = 0; i < out && result == MPI_SUCCESS; i++, from += sent)
        result = MPI_Isend(from, call->plain.send, call->type, call->sent.peers[i], messages_tag(call), call->comm,
                           &call->requests[in + i]);
    return result != MPI_SUCCESS ? result : MPI_Waitall(in + out, call->requests, MPI_STATUSES_IGNORE);
}

int messages_make_persistent(struct call *call)
{
    const int in = call->received.blocks, out = call->sent.blocks;
    int result = MPI_SUCCESS;
    for (int i = 0; i < in && result == MPI_SUCCESS; i++)
        result = MPI_Recv_init(messages_block(&call->received, call->recv, i), call->plain.recv, call->type,
                               call->received.peers[i], messages_tag(call), call->comm, &call->requests[i]);
    for (int i = 0; i < out && result == MPI_SUCCESS; i++)
        result = MPI_Send_init(messages_block(&call->sent, call->send, i), call->plain.send, call->type,
                               call->sent.peers[i], messages_tag(call), call->comm, &call->requests[in + i]);
    call->requests_made = result == MPI_SUCCESS ? in + out : 0;
    return result;
}

int messages_start_persistent(struct call *call)
{
    if (call->requests_made == 0)
        return MPI_SUCCESS;
    const int result = MPI_Startall(call->requests_made, call->requests);
    return result != MPI_SUCCESS ? result : MPI_Waitall(call->requests_made, call->requests, MPI_STATUSES_IGNORE);
}
