/* SPDX-License-Identifier: BSD-3-Clause */
/* rma.c: windows of two processes, and their synchronisation (see rma.h). */
#include "call/rma.h"

#include "machine/errors.h"
#include "machine/team.h"
#include "operation/operation.h"

enum { RMA_TAG = 9 };

bool rma_allocates(const struct call *call)
{
    const bool takes_part = !call->idle && call->sent.blocks + call->received.blocks > 0;
    return takes_part && (call->rma.window == RMA_WINDOW_ALLOCATE || call->rma.window == RMA_WINDOW_SHARED);
}

/* Return true if the origin holds a lock during the whole measurement. */
static bool rma_is_held(const struct call_rma *rma)
{
    return rma->sync == RMA_SYNC_FLUSH || rma->sync == RMA_SYNC_FLUSH_LOCAL;
}

/* Return true if the target takes no part. */
static bool rma_is_passive(const struct call_rma *rma)
{
    return rma->sync != RMA_SYNC_FENCE && rma->sync != RMA_SYNC_PSCW;
}

/* Set the other process and its rank in a communicator of the two; false if there is none. */
static bool rma_find_partner(struct call *call, int *ranks)
{
    const struct call_side *const read = call->operation->exposes == EXPOSES_RECEIVED ? &call->sent : &call->received;
    const struct call_side *const exposed = read == &call->sent ? &call->received : &call->sent;
    call->rma.origin = !call->idle && read->blocks > 0;
    call->rma.target = !call->idle && exposed->blocks > 0;
    if (!call->rma.origin && !call->rma.target)
        return false;
    const int partner = (call->rma.origin ? read : exposed)->peers[0];
    call->rma.partner = partner > call->rank;
    if (call->operation->updates) {
        call->rma.origin = partner > call->rank;
        call->rma.target = !call->rma.origin;
    }
    ranks[call->rma.partner] = partner;
    ranks[!call->rma.partner] = call->rank;
    return true;
}

/* Tell the partner where this process's memory begins in a dynamic window. */
static int rma_attach(struct call_rma *rma, char *memory, size_t bytes)
{
    MPI_Aint here = 0;
    int result = MPI_Win_attach(rma->handle, memory, (MPI_Aint)bytes);
    if (result == MPI_SUCCESS)
        result = MPI_Get_address(memory, &here);
    return result != MPI_SUCCESS ? result
                                 : MPI_Sendrecv(&here, 1, MPI_AINT, rma->partner, RMA_TAG, &rma->there, 1, MPI_AINT,
                                                rma->partner, RMA_TAG, rma->comm, MPI_STATUS_IGNORE);
}

static int rma_make_window(struct call_rma *rma, char **memory, size_t bytes)
{
    const MPI_Aint length = (MPI_Aint)bytes;
    switch (rma->window) {
    case RMA_WINDOW_ALLOCATE:
        return MPI_Win_allocate(length, 1, MPI_INFO_NULL, rma->comm, memory, &rma->handle);
    case RMA_WINDOW_CREATE:
        return MPI_Win_create(*memory, length, 1, MPI_INFO_NULL, rma->comm, &rma->handle);
    case RMA_WINDOW_DYNAMIC:
        return MPI_Win_create_dynamic(MPI_INFO_NULL, rma->comm, &rma->handle);
    case RMA_WINDOW_SHARED:
        return MPI_Win_allocate_shared(length, 1, MPI_INFO_NULL, rma->comm, memory, &rma->handle);
    }
    return MPI_ERR_OTHER;
}

/* Prepare the epochs: hold a lock, open the first fence, or name the partner. */
static int rma_prepare_epochs(struct call_rma *rma)
{
    if (rma_is_held(rma))
        return MPI_Win_lock_all(0, rma->handle);
    if (rma->sync == RMA_SYNC_FENCE)
        return MPI_Win_fence(0, rma->handle);
    if (rma->sync != RMA_SYNC_PSCW)
        return MPI_SUCCESS;
    MPI_Group both = MPI_GROUP_NULL;
    int result = MPI_Comm_group(rma->comm, &both);
    if (result == MPI_SUCCESS)
        result = MPI_Group_incl(both, 1, &rma->partner, &rma->partners);
    if (both != MPI_GROUP_NULL)
        MPI_Group_free(&both);
    return result;
}

int rma_open(struct call *call, char **memory, size_t bytes, struct fault *fault)
{
    struct call_rma *const rma = &call->rma;
    int ranks[2];
    if (!rma_find_partner(call, ranks))
        return 0;
    if (team_join(call->comm, ranks, 2, &rma->comm, fault))
        return (int)fault->code;
    int result = rma_make_window(rma, memory, bytes);
    if (result == MPI_SUCCESS)
        result = errors_return_win(rma->handle);
    if (result == MPI_SUCCESS && rma->window == RMA_WINDOW_DYNAMIC)
        result = rma_attach(rma, *memory, bytes);
    if (result == MPI_SUCCESS)
        result = rma_prepare_epochs(rma);
    rma->memory = *memory;
    call->refused = result != MPI_SUCCESS;
    return 0;
}

void rma_close(struct call *call)
{
    struct call_rma *const rma = &call->rma;
    if (rma->handle == MPI_WIN_NULL || call->refused)
        return;
    if (rma_is_held(rma))
        MPI_Win_unlock_all(rma->handle);
    if (rma->window == RMA_WINDOW_DYNAMIC) {
        MPI_Barrier(rma->comm);
        MPI_Win_detach(rma->handle, rma->memory);
    }
    if (rma->partners != MPI_GROUP_NULL)
        MPI_Group_free(&rma->partners);
    MPI_Win_free(&rma->handle);
    MPI_Comm_free(&rma->comm);
}

int rma_before(struct call *call)
{
    const struct call_rma *const rma = &call->rma;
    return rma->handle != MPI_WIN_NULL && rma_is_held(rma) ? MPI_Win_sync(rma->handle) : MPI_SUCCESS;
}

static int rma_begin(const struct call_rma *rma)
{
    int result = MPI_SUCCESS;
    switch (rma->sync) {
    case RMA_SYNC_LOCK:
        return rma->origin ? MPI_Win_lock(MPI_LOCK_SHARED, rma->partner, 0, rma->handle) : MPI_SUCCESS;
    case RMA_SYNC_LOCK_ALL:
        return rma->origin ? MPI_Win_lock_all(0, rma->handle) : MPI_SUCCESS;
    case RMA_SYNC_PSCW:
        if (rma->target)
            result = MPI_Win_post(rma->partners, 0, rma->handle);
        return rma->origin && result == MPI_SUCCESS ? MPI_Win_start(rma->partners, 0, rma->handle) : result;
    case RMA_SYNC_FLUSH:
    case RMA_SYNC_FLUSH_LOCAL:
    case RMA_SYNC_FENCE:
        break;
    }
    return result;
}

static int rma_end(const struct call_rma *rma)
{
    int result = MPI_SUCCESS;
    switch (rma->sync) {
    case RMA_SYNC_FLUSH:
        return rma->origin ? MPI_Win_flush(rma->partner, rma->handle) : MPI_SUCCESS;
    case RMA_SYNC_FLUSH_LOCAL:
        return rma->origin ? MPI_Win_flush_local(rma->partner, rma->handle) : MPI_SUCCESS;
    case RMA_SYNC_LOCK:
        return rma->origin ? MPI_Win_unlock(rma->partner, rma->handle) : MPI_SUCCESS;
    case RMA_SYNC_LOCK_ALL:
        return rma->origin ? MPI_Win_unlock_all(rma->handle) : MPI_SUCCESS;
    case RMA_SYNC_FENCE:
        return MPI_Win_fence(0, rma->handle);
    case RMA_SYNC_PSCW:
        if (rma->origin)
            result = MPI_Win_complete(rma->handle);
        return rma->target && result == MPI_SUCCESS ? MPI_Win_wait(rma->handle) : result;
    }
    return result;
}

int rma_execute(struct call *call)
{
    const struct call_rma *const rma = &call->rma;
    if (rma->handle == MPI_WIN_NULL)
        return MPI_SUCCESS;
    const bool puts = call->operation->exposes == EXPOSES_RECEIVED;
    const struct call_side *const side = puts ? &call->sent : &call->received;
    const int blocks = rma->origin ? side->blocks : 0;
    const int64_t bytes = blocks > 0 ? side->bytes / blocks : 0;
    const char *const exposed = puts ? call->recv : call->send;
    MPI_Aint place = rma->there + (exposed - rma->memory);
    char *own = puts ? call->send : call->recv;
    int result = rma_begin(rma);
    for (int i = 0; i < blocks && result == MPI_SUCCESS; i++, own += bytes, place += bytes)
        result = call->operation->transfer(call, own, place);
    return result != MPI_SUCCESS ? result : rma_end(rma);
}

int rma_finish(struct call *call)
{
    const struct call_rma *const rma = &call->rma;
    if (rma->handle == MPI_WIN_NULL || !rma_is_passive(rma))
        return MPI_SUCCESS;
    int result = MPI_SUCCESS;
    if (rma->sync == RMA_SYNC_FLUSH_LOCAL && rma->origin)
        result = MPI_Win_flush(rma->partner, rma->handle);
    if (result == MPI_SUCCESS)
        result = MPI_Sendrecv(NULL, 0, MPI_BYTE, rma->origin ? rma->partner : MPI_PROC_NULL, RMA_TAG, NULL, 0, MPI_BYTE,
                              rma->target ? rma->partner : MPI_PROC_NULL, RMA_TAG, rma->comm, MPI_STATUS_IGNORE);
    return result == MPI_SUCCESS && rma_is_held(rma) ? MPI_Win_sync(rma->handle) : result;
}
