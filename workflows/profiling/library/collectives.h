/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * collectives.h: wrappers of the collectives, for one type of counts. Included with
 *   COUNT, DISPLACEMENT  int and int, or MPI_Count and MPI_Aint
 *   BLOCKING(Name)       the name of the function: Name, or Name_c
 *   MEAN(kind)           the name of the functions below
 *
 * The amount of a call is what the engine means by `bytes`: the vector, or the block for each process; where each
 * process has a count of its own, their mean. What is not significant in a call is not looked at.
 */

/* Mean of the counts for each process of a communicator. */
static inline struct profile_amount MEAN(counts)(const COUNT counts[], MPI_Datatype type, MPI_Comm communicator)
{
    const int processes = processes_of(communicator);
    MPI_Count sum = 0;
    for (int i = 0; i < processes; i++) {
        sum += counts[i];
    }
    struct profile_amount amount = amount_of(sum, type);
    amount.bytes /= processes > 0 ? (uint64_t)processes : 1u;
    return amount;
}

/* The same with a type for each process. */
static inline struct profile_amount MEAN(typed)(const COUNT counts[], const MPI_Datatype types[], MPI_Comm communicator)
{
    const int processes = processes_of(communicator);
    struct profile_amount all = amount_none();
    for (int i = 0; i < processes; i++) {
        const struct profile_amount amount = amount_of(counts[i], types[i]);
        all.bytes += amount.bytes;
        all.element = amount.element ? amount.element : all.element;
    }
    all.bytes /= processes > 0 ? (uint64_t)processes : 1u;
    return all;
}

/* Of a call on a communicator with one group; nothing of another one is looked at. */
#define WITHIN(communicator, amount) (processes_of(communicator) > 0 ? (amount) : amount_none())

/* A collective in both forms, `...`: its amount. */
#define FORM(Name, parameters, arguments, operation, ...)                                                              \
    WRAP(Name, parameters, arguments, operation, WITHIN(comm, (__VA_ARGS__)), processes_of(comm))
#define UNPACKED(...) __VA_ARGS__
#define BOTH(Name, Lower, WORD, parameters, arguments, ...)                                                            \
    FORM(BLOCKING(Name), (UNPACKED parameters), (UNPACKED arguments), PROFILE_##WORD, __VA_ARGS__)                     \
    FORM(BLOCKING(I##Lower), (UNPACKED parameters, MPI_Request * request), (UNPACKED arguments, request),              \
         PROFILE_I##WORD, __VA_ARGS__)

BOTH(Bcast, bcast, BCAST, (void *buffer, COUNT count, MPI_Datatype type, int root, MPI_Comm comm),
     (buffer, count, type, root, comm), amount_of(count, type))
BOTH(Gather, gather, GATHER,
     (const void *in, COUNT sent, MPI_Datatype from, void *out, COUNT got, MPI_Datatype to, int root, MPI_Comm comm),
     (in, sent, from, out, got, to, root, comm), in == MPI_IN_PLACE ? amount_of(got, to) : amount_of(sent, from))
BOTH(Gatherv, gatherv, GATHERV,
     (const void *in, COUNT sent, MPI_Datatype from, void *out, const COUNT got[], const DISPLACEMENT places[],
      MPI_Datatype to, int root, MPI_Comm comm),
     (in, sent, from, out, got, places, to, root, comm),
     in == MPI_IN_PLACE ? MEAN(counts)(got, to, comm) : amount_of(sent, from))
BOTH(Scatter, scatter, SCATTER,
     (const void *in, COUNT sent, MPI_Datatype from, void *out, COUNT got, MPI_Datatype to, int root, MPI_Comm comm),
     (in, sent, from, out, got, to, root, comm), out == MPI_IN_PLACE ? amount_of(sent, from) : amount_of(got, to))
BOTH(Scatterv, scatterv, SCATTERV,
     (const void *in, const COUNT sent[], const DISPLACEMENT places[], MPI_Datatype from, void *out, COUNT got,
      MPI_Datatype to, int root, MPI_Comm comm),
     (in, sent, places, from, out, got, to, root, comm),
     out == MPI_IN_PLACE ? MEAN(counts)(sent, from, comm) : amount_of(got, to))
BOTH(Allgather, allgather, ALLGATHER,
     (const void *in, COUNT sent, MPI_Datatype from, void *out, COUNT got, MPI_Datatype to, MPI_Comm comm),
     (in, sent, from, out, got, to, comm), in == MPI_IN_PLACE ? amount_of(got, to) : amount_of(sent, from))
BOTH(Allgatherv, allgatherv, ALLGATHERV,
     (const void *in, COUNT sent, MPI_Datatype from, void *out, const COUNT got[], const DISPLACEMENT places[],
      MPI_Datatype to, MPI_Comm comm),
     (in, sent, from, out, got, places, to, comm), MEAN(counts)(got, to, comm))
BOTH(Alltoall, alltoall, ALLTOALL,
     (const void *in, COUNT sent, MPI_Datatype from, void *out, COUNT got, MPI_Datatype to, MPI_Comm comm),
     (in, sent, from, out, got, to, comm), in == MPI_IN_PLACE ? amount_of(got, to) : amount_of(sent, from))
BOTH(Alltoallv, alltoallv, ALLTOALLV,
     (const void *in, const COUNT sent[], const DISPLACEMENT here[], MPI_Datatype from, void *out, const COUNT got[],
      const DISPLACEMENT there[], MPI_Datatype to, MPI_Comm comm),
     (in, sent, here, from, out, got, there, to, comm),
     in == MPI_IN_PLACE ? MEAN(counts)(got, to, comm) : MEAN(counts)(sent, from, comm))
BOTH(Alltoallw, alltoallw, ALLTOALLW,
     (const void *in, const COUNT sent[], const DISPLACEMENT here[], const MPI_Datatype from[], void *out,
      const COUNT got[], const DISPLACEMENT there[], const MPI_Datatype to[], MPI_Comm comm),
     (in, sent, here, from, out, got, there, to, comm),
     in == MPI_IN_PLACE ? MEAN(typed)(got, to, comm) : MEAN(typed)(sent, from, comm))
BOTH(Reduce, reduce, REDUCE,
     (const void *in, void *out, COUNT count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm),
     (in, out, count, type, op, root, comm), amount_of(count, type))
BOTH(Allreduce, allreduce, ALLREDUCE,
     (const void *in, void *out, COUNT count, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
     (in, out, count, type, op, comm), amount_of(count, type))
BOTH(Reduce_scatter, reduce_scatter, REDUCE_SCATTER,
     (const void *in, void *out, const COUNT counts[], MPI_Datatype type, MPI_Op op, MPI_Comm comm),
     (in, out, counts, type, op, comm), MEAN(counts)(counts, type, comm))
BOTH(Reduce_scatter_block, reduce_scatter_block, REDUCE_SCATTER_BLOCK,
     (const void *in, void *out, COUNT count, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
     (in, out, count, type, op, comm), amount_of(count, type))
BOTH(Scan, scan, SCAN, (const void *in, void *out, COUNT count, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
     (in, out, count, type, op, comm), amount_of(count, type))
BOTH(Exscan, exscan, EXSCAN, (const void *in, void *out, COUNT count, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
     (in, out, count, type, op, comm), amount_of(count, type))
BOTH(Neighbor_allgather, neighbor_allgather, NEIGHBOR_ALLGATHER,
     (const void *in, COUNT sent, MPI_Datatype from, void *out, COUNT got, MPI_Datatype to, MPI_Comm comm),
     (in, sent, from, out, got, to, comm), amount_of(sent, from))
BOTH(Neighbor_alltoall, neighbor_alltoall, NEIGHBOR_ALLTOALL,
     (const void *in, COUNT sent, MPI_Datatype from, void *out, COUNT got, MPI_Datatype to, MPI_Comm comm),
     (in, sent, from, out, got, to, comm), amount_of(sent, from))
BOTH(Neighbor_allgatherv, neighbor_allgatherv, NEIGHBOR_ALLGATHERV,
     (const void *in, COUNT sent, MPI_Datatype from, void *out, const COUNT got[], const DISPLACEMENT places[],
      MPI_Datatype to, MPI_Comm comm),
     (in, sent, from, out, got, places, to, comm), amount_of(sent, from))
/* How many neighbours there are is another question to the library: these have no size. */
BOTH(Neighbor_alltoallv, neighbor_alltoallv, NEIGHBOR_ALLTOALLV,
     (const void *in, const COUNT sent[], const DISPLACEMENT here[], MPI_Datatype from, void *out, const COUNT got[],
      const DISPLACEMENT there[], MPI_Datatype to, MPI_Comm comm),
     (in, sent, here, from, out, got, there, to, comm), amount_none())
BOTH(Neighbor_alltoallw, neighbor_alltoallw, NEIGHBOR_ALLTOALLW,
     (const void *in, const COUNT sent[], const MPI_Aint here[], const MPI_Datatype from[], void *out,
      const COUNT got[], const MPI_Aint there[], const MPI_Datatype to[], MPI_Comm comm),
     (in, sent, here, from, out, got, there, to, comm), amount_none())

#undef WITHIN
#undef FORM
#undef UNPACKED
#undef BOTH
