/* SPDX-License-Identifier: BSD-3-Clause */
/* collectives.c: the collectives with int counts, those with MPI_Count (MPI 4), and the barrier, which has none. */
#include "wrap.h"

#define COUNT int
#define DISPLACEMENT int
#define BLOCKING(Name) Name
#define MEAN(kind) mean_##kind
#include "collectives.h"
#undef COUNT
#undef DISPLACEMENT
#undef BLOCKING
#undef MEAN

#if MPI_VERSION >= 4
#define COUNT MPI_Count
#define DISPLACEMENT MPI_Aint
#define BLOCKING(Name) Name##_c
#define MEAN(kind) mean_##kind##_c
#include "collectives.h"
#endif

WRAP(Barrier, (MPI_Comm comm), (comm), PROFILE_BARRIER, amount_none(), processes_of(comm))
WRAP(Ibarrier, (MPI_Comm comm, MPI_Request *request), (comm, request), PROFILE_IBARRIER, amount_none(),
     processes_of(comm))
