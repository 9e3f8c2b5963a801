/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * operations.h: what is counted, and under which name. A name is the engine's where it measures the same; a further
 * line here, and a wrapper that uses it, is all that a further call takes.
 */
#ifndef PROFILE_OPERATIONS_H
#define PROFILE_OPERATIONS_H

/* Collectives: each is there blocking and nonblocking. */
#define PROFILE_COLLECTIVES(X)                                                                                         \
    X(BARRIER, "barrier")                                                                                              \
    X(BCAST, "bcast")                                                                                                  \
    X(GATHER, "gather")                                                                                                \
    X(GATHERV, "gatherv")                                                                                              \
    X(SCATTER, "scatter")                                                                                              \
    X(SCATTERV, "scatterv")                                                                                            \
    X(ALLGATHER, "allgather")                                                                                          \
    X(ALLGATHERV, "allgatherv")                                                                                        \
    X(ALLTOALL, "alltoall")                                                                                            \
    X(ALLTOALLV, "alltoallv")                                                                                          \
    X(ALLTOALLW, "alltoallw")                                                                                          \
    X(REDUCE, "reduce")                                                                                                \
    X(ALLREDUCE, "allreduce")                                                                                          \
    X(REDUCE_SCATTER, "reduce_scatter")                                                                                \
    X(REDUCE_SCATTER_BLOCK, "reduce_scatter_block")                                                                    \
    X(SCAN, "scan")                                                                                                    \
    X(EXSCAN, "exscan")                                                                                                \
    X(NEIGHBOR_ALLGATHER, "neighbor_allgather")                                                                        \
    X(NEIGHBOR_ALLGATHERV, "neighbor_allgatherv")                                                                      \
    X(NEIGHBOR_ALLTOALL, "neighbor_alltoall")                                                                          \
    X(NEIGHBOR_ALLTOALLV, "neighbor_alltoallv")                                                                        \
    X(NEIGHBOR_ALLTOALLW, "neighbor_alltoallw")

/* All others. */
#define PROFILE_OTHERS(X)                                                                                              \
    X(SEND, "send")                                                                                                    \
    X(SSEND, "ssend")                                                                                                  \
    X(BSEND, "bsend")                                                                                                  \
    X(RSEND, "rsend")                                                                                                  \
    X(ISEND, "isend")                                                                                                  \
    X(ISSEND, "issend")                                                                                                \
    X(IBSEND, "ibsend")                                                                                                \
    X(IRSEND, "irsend")                                                                                                \
    X(RECV, "recv")                                                                                                    \
    X(MRECV, "mrecv")                                                                                                  \
    X(IRECV, "irecv")                                                                                                  \
    X(IMRECV, "imrecv")                                                                                                \
    X(SENDRECV, "sendrecv")                                                                                            \
    X(SENDRECV_REPLACE, "sendrecv_replace")                                                                            \
    X(WAIT, "wait")                                                                                                    \
    X(WAITALL, "waitall")                                                                                              \
    X(WAITANY, "waitany")                                                                                              \
    X(WAITSOME, "waitsome")                                                                                            \
    X(TEST, "test")                                                                                                    \
    X(TESTALL, "testall")                                                                                              \
    X(TESTANY, "testany")                                                                                              \
    X(TESTSOME, "testsome")                                                                                            \
    X(PROBE, "probe")                                                                                                  \
    X(IPROBE, "iprobe")                                                                                                \
    X(MPROBE, "mprobe")                                                                                                \
    X(IMPROBE, "improbe")                                                                                              \
    X(START, "start")                                                                                                  \
    X(STARTALL, "startall")                                                                                            \
    X(PUT, "put")                                                                                                      \
    X(GET, "get")                                                                                                      \
    X(ACCUMULATE, "accumulate")                                                                                        \
    X(WIN_FENCE, "win_fence")                                                                                          \
    X(WIN_LOCK, "win_lock")                                                                                            \
    X(WIN_UNLOCK, "win_unlock")                                                                                        \
    X(WIN_LOCK_ALL, "win_lock_all")                                                                                    \
    X(WIN_UNLOCK_ALL, "win_unlock_all")                                                                                \
    X(WIN_FLUSH, "win_flush")                                                                                          \
    X(WIN_FLUSH_ALL, "win_flush_all")                                                                                  \
    X(WIN_POST, "win_post")                                                                                            \
    X(WIN_START, "win_start")                                                                                          \
    X(WIN_COMPLETE, "win_complete")                                                                                    \
    X(WIN_WAIT, "win_wait")                                                                                            \
    X(COMM_DUP, "comm_dup")                                                                                            \
    X(COMM_SPLIT, "comm_split")                                                                                        \
    X(COMM_CREATE, "comm_create")                                                                                      \
    X(COMM_FREE, "comm_free")                                                                                          \
    X(CART_CREATE, "cart_create")                                                                                      \
    X(INIT, "init")                                                                                                    \
    X(FINALIZE, "finalize")

#define PROFILE_BLOCKING(name, word) PROFILE_##name,
#define PROFILE_NONBLOCKING(name, word) PROFILE_I##name,

/* 0 is no operation: an empty slot of the table has it. */
enum profile_operation {
    PROFILE_NOTHING,
    PROFILE_COLLECTIVES(PROFILE_BLOCKING) PROFILE_COLLECTIVES(PROFILE_NONBLOCKING) PROFILE_OTHERS(PROFILE_BLOCKING)
        PROFILE_COUNT
};

#endif
