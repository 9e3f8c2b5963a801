/* SPDX-License-Identifier: BSD-3-Clause */
/* session_threads.c: level and processors of threads (see session_threads.h). */
#include "session/session_threads.h"

#include "machine/team.h"
#include "threads/processors.h"

#include <stdlib.h>

/* Choose the processors of this process's threads, given those of all processes of its host; NULL: they have none. */
static int *session_choose_processors(const struct processors *sets, int count, int index, int threads)
{
    int *const chosen = calloc((size_t)threads, sizeof *chosen);
    if (chosen != NULL && processors_divide(sets, count, index, threads, processors_core, chosen) == threads)
        return chosen;
    free(chosen);
    return NULL;
}

/* Send the processors of this process to all of its host, and choose. */
static int session_divide_host(struct session *session, struct fault *fault)
{
    const MPI_Comm host = session->environment.host;
    const int bytes = (int)sizeof(struct processors);
    struct processors local;
    int count = 0, index = 0;
    MPI_Comm_size(host, &count);
    MPI_Comm_rank(host, &index);
    struct processors *const sets = calloc((size_t)count, sizeof *sets);
    if (sets == NULL)
        return fault_set(fault, FAULT_SYSTEM, "out of memory for the processors of %d ranks", count);
    processors_read(&local);
    const int result = MPI_Allgather(&local, bytes, MPI_BYTE, sets, bytes, MPI_BYTE, host);
    if (team_mpi(fault, result, "MPI_Allgather") == 0)
        session->processors = session_choose_processors(sets, count, index, (int)session->options->threads);
    free(sets);
    return (int)fault->code;
}

int session_place_threads(struct session *session, struct fault *fault)
{
    MPI_Query_thread(&session->thread_level);
    if (session->options->threads == 0)
        return 0;
    if (!session->simulated && session_divide_host(session, fault))
        return (int)fault->code;
    int64_t values[2] = {-(int64_t)session->thread_level, session->processors == NULL};
    if (team_maximum(&session->team, values, 2, MPI_INT64_T, fault))
        return (int)fault->code;
    session->thread_level = (int)-values[0];
    if (values[1] != 0) {
        free(session->processors);
        session->processors = NULL;
    }
    return 0;
}

const char *session_thread_level(int level)
{
    return level == MPI_THREAD_MULTIPLE     ? "multiple"
           : level == MPI_THREAD_SERIALIZED ? "serialized"
           : level == MPI_THREAD_FUNNELED   ? "funneled"
                                            : "single";
}
