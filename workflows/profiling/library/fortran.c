/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fortran.c: the calls of Fortran programs (mpif.h, `use mpi`) under Open MPI, whose Fortran functions call PMPI. Those
 * of MPICH and Intel MPI call MPI, so that the wrappers for C see them. All arguments are addresses, and the name is
 * the one that gfortran, flang, ifx and nvfortran give to a function: small letters and an underscore.
 */
#include "process.h"
#include "wrap.h"

#if defined(OPEN_MPI)

WEAK(PMPI_Comm_f2c)
WEAK(PMPI_Type_f2c)
WEAK(mpi_fortran_in_place_)

typedef MPI_Fint *at; /* the address of an argument; of a buffer, too, which is handed on */

/* MPI_IN_PLACE in Fortran is the address of this common block. */
extern MPI_Fint mpi_fortran_in_place_;

static struct profile_amount f_amount(at count, at type)
{
    return *count > 0 ? amount_of(*count, PMPI_Type_f2c(*type)) : amount_none();
}

static int f_processes(at communicator)
{
    return processes_of(PMPI_Comm_f2c(*communicator));
}

static int f_partner(at partner, at communicator)
{
    return processes_for(*partner, PMPI_Comm_f2c(*communicator));
}

/* Mean of the counts for each process. */
static struct profile_amount f_mean(at counts, at type, at communicator)
{
    const int processes = f_processes(communicator);
    MPI_Count sum = 0;
    for (int i = 0; i < processes; i++) {
        sum += counts[i];
    }
    struct profile_amount amount = sum > 0 ? amount_of(sum, PMPI_Type_f2c(*type)) : amount_none();
    amount.bytes /= processes > 0 ? (uint64_t)processes : 1u;
    return amount;
}

static int in_place(at buffer)
{
    return buffer == &mpi_fortran_in_place_;
}

#define F_COUNTED(operation, amount, processes, call)                                                                  \
    if (profile.header == NULL || profile_inside) {                                                                    \
        call;                                                                                                          \
        return;                                                                                                        \
    }                                                                                                                  \
    profile_inside = 1;                                                                                                \
    const uint64_t begin = profile_now();                                                                              \
    call;                                                                                                              \
    const uint64_t taken = profile_now() - begin;                                                                      \
    profile_add(operation, amount, processes, taken);                                                                  \
    profile_inside = 0

#define F_WRAP(name, parameters, arguments, operation, amount, processes)                                              \
    WEAK(pmpi_##name##_)                                                                                               \
    void pmpi_##name##_ parameters;                                                                                    \
    void mpi_##name##_ parameters;                                                                                     \
    void mpi_##name##_ parameters                                                                                      \
    {                                                                                                                  \
        F_COUNTED(operation, amount, processes, pmpi_##name##_ arguments);                                             \
    }
#define F_WITHIN(amount) (f_processes(comm) > 0 ? (amount) : amount_none())
#define F_COLLECTIVE(name, WORD, parameters, arguments, ...)                                                           \
    F_WRAP(name, parameters, arguments, PROFILE_##WORD, F_WITHIN((__VA_ARGS__)), f_processes(comm))

F_COLLECTIVE(barrier, BARRIER, (at comm, at error), (comm, error), amount_none())
F_COLLECTIVE(bcast, BCAST, (at buffer, at count, at type, at root, at comm, at error),
             (buffer, count, type, root, comm, error), f_amount(count, type))
F_COLLECTIVE(gather, GATHER, (at in, at sent, at from, at out, at got, at to, at root, at comm, at error),
             (in, sent, from, out, got, to, root, comm, error), in_place(in) ? f_amount(got, to) : f_amount(sent, from))
F_COLLECTIVE(gatherv, GATHERV, (at in, at sent, at from, at out, at got, at places, at to, at root, at comm, at error),
             (in, sent, from, out, got, places, to, root, comm, error),
             in_place(in) ? f_mean(got, to, comm) : f_amount(sent, from))
F_COLLECTIVE(scatter, SCATTER, (at in, at sent, at from, at out, at got, at to, at root, at comm, at error),
             (in, sent, from, out, got, to, root, comm, error),
             in_place(out) ? f_amount(sent, from) : f_amount(got, to))
F_COLLECTIVE(scatterv, SCATTERV,
             (at in, at sent, at places, at from, at out, at got, at to, at root, at comm, at error),
             (in, sent, places, from, out, got, to, root, comm, error),
             in_place(out) ? f_mean(sent, from, comm) : f_amount(got, to))
F_COLLECTIVE(allgather, ALLGATHER, (at in, at sent, at from, at out, at got, at to, at comm, at error),
             (in, sent, from, out, got, to, comm, error), in_place(in) ? f_amount(got, to) : f_amount(sent, from))
F_COLLECTIVE(allgatherv, ALLGATHERV, (at in, at sent, at from, at out, at got, at places, at to, at comm, at error),
             (in, sent, from, out, got, places, to, comm, error), f_mean(got, to, comm))
F_COLLECTIVE(alltoall, ALLTOALL, (at in, at sent, at from, at out, at got, at to, at comm, at error),
             (in, sent, from, out, got, to, comm, error), in_place(in) ? f_amount(got, to) : f_amount(sent, from))
F_COLLECTIVE(alltoallv, ALLTOALLV,
             (at in, at sent, at here, at from, at out, at got, at there, at to, at comm, at error),
             (in, sent, here, from, out, got, there, to, comm, error),
             in_place(in) ? f_mean(got, to, comm) : f_mean(sent, from, comm))
F_COLLECTIVE(reduce, REDUCE, (at in, at out, at count, at type, at op, at root, at comm, at error),
             (in, out, count, type, op, root, comm, error), f_amount(count, type))
F_COLLECTIVE(allreduce, ALLREDUCE, (at in, at out, at count, at type, at op, at comm, at error),
             (in, out, count, type, op, comm, error), f_amount(count, type))
F_COLLECTIVE(reduce_scatter, REDUCE_SCATTER, (at in, at out, at counts, at type, at op, at comm, at error),
             (in, out, counts, type, op, comm, error), f_mean(counts, type, comm))
F_COLLECTIVE(reduce_scatter_block, REDUCE_SCATTER_BLOCK, (at in, at out, at count, at type, at op, at comm, at error),
             (in, out, count, type, op, comm, error), f_amount(count, type))
F_COLLECTIVE(scan, SCAN, (at in, at out, at count, at type, at op, at comm, at error),
             (in, out, count, type, op, comm, error), f_amount(count, type))
F_COLLECTIVE(exscan, EXSCAN, (at in, at out, at count, at type, at op, at comm, at error),
             (in, out, count, type, op, comm, error), f_amount(count, type))

#define F_MESSAGE(name, WORD)                                                                                          \
    F_WRAP(name, (at buffer, at count, at type, at partner, at tag, at comm, at last, at error),                       \
           (buffer, count, type, partner, tag, comm, last, error), PROFILE_##WORD, f_amount(count, type),              \
           f_partner(partner, comm))
#define F_SEND(name, WORD)                                                                                             \
    F_WRAP(name, (at buffer, at count, at type, at partner, at tag, at comm, at error),                                \
           (buffer, count, type, partner, tag, comm, error), PROFILE_##WORD, f_amount(count, type),                    \
           f_partner(partner, comm))
F_SEND(send, SEND)
F_SEND(ssend, SSEND)
F_SEND(bsend, BSEND)
F_SEND(rsend, RSEND)
F_MESSAGE(recv, RECV)
F_MESSAGE(isend, ISEND)
F_MESSAGE(issend, ISSEND)
F_MESSAGE(irecv, IRECV)
F_WRAP(sendrecv,
       (at in, at sent, at from, at partner, at tag, at out, at got, at to, at other, at tag_of, at comm, at status,
        at error),
       (in, sent, from, partner, tag, out, got, to, other, tag_of, comm, status, error), PROFILE_SENDRECV,
       f_amount(sent, from), f_partner(partner, comm))
F_WRAP(sendrecv_replace,
       (at buffer, at count, at type, at partner, at tag, at other, at tag_of, at comm, at status, at error),
       (buffer, count, type, partner, tag, other, tag_of, comm, status, error), PROFILE_SENDRECV_REPLACE,
       f_amount(count, type), f_partner(partner, comm))

#define F_PLAIN(name, WORD, parameters, arguments) F_WRAP(name, parameters, arguments, PROFILE_##WORD, amount_none(), 0)
F_PLAIN(wait, WAIT, (at request, at status, at error), (request, status, error))
F_PLAIN(waitall, WAITALL, (at count, at requests, at statuses, at error), (count, requests, statuses, error))
F_PLAIN(waitany, WAITANY, (at count, at requests, at which, at status, at error),
        (count, requests, which, status, error))
F_PLAIN(waitsome, WAITSOME, (at count, at requests, at done, at which, at statuses, at error),
        (count, requests, done, which, statuses, error))
F_PLAIN(test, TEST, (at request, at flag, at status, at error), (request, flag, status, error))
F_PLAIN(testall, TESTALL, (at count, at requests, at flag, at statuses, at error),
        (count, requests, flag, statuses, error))
F_PLAIN(probe, PROBE, (at partner, at tag, at comm, at status, at error), (partner, tag, comm, status, error))
F_PLAIN(iprobe, IPROBE, (at partner, at tag, at comm, at flag, at status, at error),
        (partner, tag, comm, flag, status, error))
F_PLAIN(start, START, (at request, at error), (request, error))
F_PLAIN(startall, STARTALL, (at count, at requests, at error), (count, requests, error))
F_PLAIN(comm_dup, COMM_DUP, (at comm, at copy, at error), (comm, copy, error))
F_PLAIN(comm_split, COMM_SPLIT, (at comm, at colour, at key, at part, at error), (comm, colour, key, part, error))

WEAK(pmpi_init_)
WEAK(pmpi_init_thread_)
WEAK(pmpi_finalize_)
void pmpi_init_(at error);
void pmpi_init_thread_(at required, at provided, at error);
void pmpi_finalize_(at error);
void mpi_init_(at error);
void mpi_init_thread_(at required, at provided, at error);
void mpi_finalize_(at error);

void mpi_init_(at error)
{
    profile_inside = 1;
    const struct profile_facts facts = process_before();
    pmpi_init_(error);
    process_begins(facts);
    profile_inside = 0;
}

void mpi_init_thread_(at required, at provided, at error)
{
    profile_inside = 1;
    const struct profile_facts facts = process_before();
    pmpi_init_thread_(required, provided, error);
    process_begins(facts);
    profile_inside = 0;
}

void mpi_finalize_(at error)
{
    profile_inside = 1;
    const uint64_t begin = profile_now();
    pmpi_finalize_(error);
    process_ends(begin);
    profile_inside = 0;
}

#endif
