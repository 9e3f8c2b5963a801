/* SPDX-License-Identifier: BSD-3-Clause */
/* pairs.c: the first process of a pair makes a line and tells its name, the other joins it (see pairs.h). */
#include "weather/pairs.h"

#include "machine/team_talk.h"

enum { PAIRS_TAG = 105 };

static int pairs_lead(const struct environment *environment, int other, struct cache_line *line, struct fault *fault)
{
    char name[CACHE_LINE_NAME];
    int joined = 0;
    cache_line_make(line, name);
    const int sent = MPI_Send(name, CACHE_LINE_NAME, MPI_CHAR, other, PAIRS_TAG, environment->host);
    if (team_mpi(fault, sent, "MPI_Send") == 0)
        team_mpi(fault, MPI_Recv(&joined, 1, MPI_INT, other, PAIRS_TAG, environment->host, MPI_STATUS_IGNORE),
                 "MPI_Recv");
    cache_line_unname(name);
    if (!joined)
        cache_line_close(line);
    return (int)fault->code;
}

static int pairs_follow(const struct environment *environment, int other, struct cache_line *line, struct fault *fault)
{
    char name[CACHE_LINE_NAME];
    if (team_mpi(fault,
                 MPI_Recv(name, CACHE_LINE_NAME, MPI_CHAR, other, PAIRS_TAG, environment->host, MPI_STATUS_IGNORE),
                 "MPI_Recv"))
        return (int)fault->code;
    cache_line_join(line, name);
    const int joined = line->word != NULL;
    return team_mpi(fault, MPI_Send(&joined, 1, MPI_INT, other, PAIRS_TAG, environment->host), "MPI_Send");
}

int pairs_join(const struct team *team, const struct environment *environment, struct cache_line *line, int64_t *pairs,
               struct fault *fault)
{
    int rank = 0, size = 0;
    MPI_Comm_rank(environment->host, &rank);
    MPI_Comm_size(environment->host, &size);
    const int other = rank ^ 1;
    *line = (struct cache_line){0};
    if (other < size &&
        (rank < other ? pairs_lead(environment, other, line, fault) : pairs_follow(environment, other, line, fault)))
        return (int)fault->code;
    *pairs = line->word != NULL && line->first;
    return team_sum(team, pairs, 1, fault);
}
