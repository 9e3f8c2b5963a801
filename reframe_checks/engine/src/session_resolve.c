/* SPDX-License-Identifier: BSD-3-Clause */
/* session_resolve.c: from the words of the options to implementations, types and limits (see session.h). */
#include "session.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

static int session_find_implementations(struct session *session, struct fault *fault)
{
    const struct options *const options = session->options;
    session->timer = timer_find(options->timer);
    session->estimator = estimator_find(options->offset);
    session->stop = stop_find(options->stop);
    session->synchroniser = synchroniser_find(options->clock_sync);
    session->scheme = scheme_find(options->scheme);
    return operation_select(options->operations, &session->operations, fault);
}

static MPI_Op session_reduction(const char *name)
{
    static const char *const names[] = {"sum", "max", "min", "prod"};
    const MPI_Op reductions[] = {MPI_SUM, MPI_MAX, MPI_MIN, MPI_PROD};
    size_t i = 0;
    while (i + 1 < sizeof names / sizeof names[0] && strcmp(names[i], name) != 0)
        i++;
    return reductions[i];
}

/* The type of the elements; auto moves bytes, and reduces floats where the size allows. */
static void session_set_type(const struct options *options, const struct operation *operation, struct call *call)
{
    static const char *const names[] = {"byte", "int", "float", "double"};
    const MPI_Datatype types[] = {MPI_BYTE, MPI_INT, MPI_FLOAT, MPI_DOUBLE};
    const char *wanted = options->datatype;
    if (strcmp(wanted, "auto") == 0)
        wanted = !operation->reduces ? "byte" : call->bytes % (int64_t)sizeof(float) == 0 ? "float" : "signed char";
    call->type = MPI_SIGNED_CHAR;
    call->type_name = "signed char";
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strcmp(wanted, names[i]) == 0) {
            call->type = types[i];
            call->type_name = names[i];
        }
    }
    MPI_Type_size(call->type, &call->type_size);
}

/* The rank of this process in the measured communicator. */
static int session_measured_rank(const struct session *session)
{
    int rank = 0;
    MPI_Comm_rank(session->team.measured, &rank);
    return rank;
}

int session_call(const struct session *session, const struct operation *operation, int64_t bytes, struct call *call,
                 struct fault *fault)
{
    *call = (struct call){
        .comm = session->team.measured,
        .rank = session_measured_rank(session),
        .size = session->team.size,
        .root = (int)session->options->root,
        .clock = &session->clock,
        .bytes = bytes,
        .reduction = session->reduction,
    };
    session_set_type(session->options, operation, call);
    if (bytes % call->type_size != 0)
        return fault_set(fault, FAULT_USAGE, "--sizes: %lld bytes are no whole number of --datatype %s (%d bytes)",
                         (long long)bytes, call->type_name, call->type_size);
    if (operation->reduces && call->type == MPI_BYTE)
        return fault_set(fault, FAULT_USAGE, "--datatype byte cannot be reduced by %s; give int, float, double or auto",
                         session->options->reduce_op);
    const int64_t blocks = operation->shape == OPERATION_BLOCKS ? call->size : 1;
    if (bytes > INT_MAX / blocks)
        return fault_set(fault, FAULT_USAGE, "--sizes: %lld bytes are too many for %s on %d processes; at most %lld",
                         (long long)bytes, operation->name, call->size, (long long)(INT_MAX / blocks));
    call->count = (int)(bytes / call->type_size);
    return 0;
}

/* What a scheme cannot do. */
static int session_check_scheme(const struct session *session, struct fault *fault)
{
    const struct scheme *const scheme = session->scheme;
    if (scheme->loops && !arrival_is_none(&session->options->arrival))
        return fault_set(fault, FAULT_USAGE, "--scheme %s: a loop has no start times, so --arrival is without meaning",
                         scheme->name);
    for (size_t o = 0; o < session->operations.count && scheme->rotates; o++)
        if (!session->operations.items[o]->rooted)
            return fault_set(fault, FAULT_USAGE, "--scheme %s: %s has no root; take rooted operations or --scheme loop",
                             scheme->name, session->operations.items[o]->name);
    return 0;
}

/* Every case of the launch, so that a wrong one is found before the first is measured. */
static int session_check_cases(const struct session *session, struct fault *fault)
{
    const struct options *const options = session->options;
    for (size_t o = 0; o < session->operations.count; o++) {
        const struct operation *const operation = session->operations.items[o];
        if (operation->shape == OPERATION_NO_DATA)
            continue;
        if (options->sizes.count == 0)
            return fault_set(fault, FAULT_USAGE, "--sizes is missing; %s needs it, for example --sizes 8:64KiB:x8",
                             operation->name);
        for (size_t s = 0; s < options->sizes.count; s++) {
            struct call call;
            if (session_call(session, operation, options->sizes.bytes[s], &call, fault))
                return (int)fault->code;
        }
    }
    return 0;
}

int session_resolve(struct session *session, const struct options *options, struct fault *fault)
{
    session->options = options;
    session->reduction = session_reduction(options->reduce_op);
    if (session_find_implementations(session, fault) || session_check_scheme(session, fault))
        return (int)fault->code;
    if (options->root >= session->team.size)
        return fault_set(fault, FAULT_USAGE, "--root %lld: with %d processes give 0 to %d", (long long)options->root,
                         session->team.size, session->team.size - 1);
    return session_check_cases(session, fault);
}
