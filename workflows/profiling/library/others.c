/* SPDX-License-Identifier: BSD-3-Clause */
/* others.c: one-sided communication, and calls that make communicators. */
#include "wrap.h"

#define ONE_SIDED(Name, buffer_type, operation)                                                                        \
    WRAP(Name,                                                                                                         \
         (buffer_type buffer, int count, MPI_Datatype type, int partner, MPI_Aint place, int other,                    \
          MPI_Datatype other_type, MPI_Win win),                                                                       \
         (buffer, count, type, partner, place, other, other_type, win), operation, amount_of(count, type), 0)
ONE_SIDED(Put, const void *, PROFILE_PUT)
ONE_SIDED(Get, void *, PROFILE_GET)
WRAP(Accumulate,
     (const void *buffer, int count, MPI_Datatype type, int partner, MPI_Aint place, int other, MPI_Datatype other_type,
      MPI_Op op, MPI_Win win),
     (buffer, count, type, partner, place, other, other_type, op, win), PROFILE_ACCUMULATE, amount_of(count, type), 0)

WRAP_PLAIN(Win_fence, (int assert, MPI_Win win), (assert, win), PROFILE_WIN_FENCE)
WRAP_PLAIN(Win_lock, (int kind, int rank, int assert, MPI_Win win), (kind, rank, assert, win), PROFILE_WIN_LOCK)
WRAP_PLAIN(Win_unlock, (int rank, MPI_Win win), (rank, win), PROFILE_WIN_UNLOCK)
WRAP_PLAIN(Win_lock_all, (int assert, MPI_Win win), (assert, win), PROFILE_WIN_LOCK_ALL)
WRAP_PLAIN(Win_unlock_all, (MPI_Win win), (win), PROFILE_WIN_UNLOCK_ALL)
WRAP_PLAIN(Win_flush, (int rank, MPI_Win win), (rank, win), PROFILE_WIN_FLUSH)
WRAP_PLAIN(Win_flush_all, (MPI_Win win), (win), PROFILE_WIN_FLUSH_ALL)
WRAP_PLAIN(Win_post, (MPI_Group group, int assert, MPI_Win win), (group, assert, win), PROFILE_WIN_POST)
WRAP_PLAIN(Win_start, (MPI_Group group, int assert, MPI_Win win), (group, assert, win), PROFILE_WIN_START)
WRAP_PLAIN(Win_complete, (MPI_Win win), (win), PROFILE_WIN_COMPLETE)
WRAP_PLAIN(Win_wait, (MPI_Win win), (win), PROFILE_WIN_WAIT)

WRAP_PLAIN(Comm_dup, (MPI_Comm comm, MPI_Comm *copy), (comm, copy), PROFILE_COMM_DUP)
WRAP_PLAIN(Comm_split, (MPI_Comm comm, int colour, int key, MPI_Comm *part), (comm, colour, key, part),
           PROFILE_COMM_SPLIT)
WRAP_PLAIN(Comm_create, (MPI_Comm comm, MPI_Group group, MPI_Comm *part), (comm, group, part), PROFILE_COMM_CREATE)
WRAP_PLAIN(Comm_free, (MPI_Comm * comm), (comm), PROFILE_COMM_FREE)
WRAP_PLAIN(Cart_create,
           (MPI_Comm comm, int dimensions, const int sizes[], const int periodic[], int reorder, MPI_Comm *grid),
           (comm, dimensions, sizes, periodic, reorder, grid), PROFILE_CART_CREATE)
