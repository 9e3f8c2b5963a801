/* SPDX-License-Identifier: BSD-3-Clause */
/* session_resolve.c: from the words of the options to implementations, types and limits (see session.h). */
#include "session/session_resolve.h"

#include "estimate/estimator_table.h"
#include "operation/operation_select.h"
#include "operations/operation_forms.h"
#include "scheme/scheme_table.h"
#include "sync/synchroniser_table.h"
#include "timer/timer_table.h"

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
    if (operation_expand(options->large_counts, &session->operations, fault))
        return (int)fault->code;
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
static void session_set_type(const struct session *session, const struct operation *operation, struct call *call)
{
    static const char *const names[] = {"byte", "int", "float", "double"};
    const MPI_Datatype types[] = {MPI_BYTE, MPI_INT, MPI_FLOAT, MPI_DOUBLE};
    const char *wanted = operation->fixed_count > 0 ? "int" : session->options->datatype;
    if (element_is_derived(wanted)) {
        call->type = session->derived;
        call->type_name = wanted;
        call->element = session->options->element;
        return;
    }
    if (strcmp(wanted, "auto") == 0)
        wanted = operation->reduces == REDUCES_NOTHING       ? "byte"
                 : call->bytes % (int64_t)sizeof(float) == 0 ? "float"
                                                             : "signed char";
    call->type = MPI_SIGNED_CHAR;
    call->type_name = "signed char";
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strcmp(wanted, names[i]) == 0) {
            call->type = types[i];
            call->type_name = names[i];
        }
    }
    MPI_Type_size(call->type, &call->element.size);
    call->element.extent = call->element.size;
}

/* The rank of this process in the measured communicator. */
static int session_measured_rank(const struct session *session)
{
    int rank = 0;
    MPI_Comm_rank(session->team.measured, &rank);
    return rank;
}

static int session_check_size(const struct session *session, const struct call *call, struct fault *fault)
{
    const struct operation *const operation = call->operation;
    const long long bytes = (long long)call->bytes;
    if (call->bytes % call->element.size != 0)
        return fault_set(fault, FAULT_USAGE, "--sizes: %lld bytes are no whole number of --datatype %s (%d bytes)",
                         bytes, call->type_name, call->element.size);
    if (operation->reduces != REDUCES_NOTHING && call->type == MPI_BYTE)
        return fault_set(fault, FAULT_USAGE, "--datatype byte cannot be reduced by %s; give int, float, double or auto",
                         session->options->reduce_op);
    const long long limit = INT_MAX / (operation->shape == OPERATION_BLOCKS ? call->size : 1);
    if (bytes > limit && !call->large_counts)
        return fault_set(fault, FAULT_USAGE,
                         "--sizes: %lld bytes are too many for %s on %d processes; at most %lld, or --large-counts",
                         bytes, operation->name, call->size, limit);
    return 0;
}

int session_call(const struct session *session, const struct operation *operation, int64_t bytes, struct call *call,
                 struct fault *fault)
{
    const struct options *const options = session->options;
    *call = (struct call){
        .operation = operation,
        .comm = session->team.measured,
        .rank = session_measured_rank(session),
        .size = session->team.size,
        .root = (int)options->root,
        .clock = &session->clock,
        .bytes = bytes,
        .reduction = session->reduction,
        .any_root = session->scheme->rotates,
        .in_place = options->in_place,
        .unbalanced = strcmp(options->counts, "unbalanced") == 0,
        .large_counts = options->large_counts,
        .graph = strcmp(options->topology, "graph") == 0,
        .group_size = (int)options->group_size,
        .request = MPI_REQUEST_NULL,
    };
    session_set_type(session, operation, call);
    if (session_check_size(session, call, fault))
        return (int)fault->code;
    call->count = operation->fixed_count > 0 ? operation->fixed_count : bytes / call->element.size;
    return 0;
}

/* What a scheme cannot do. */
static int session_check_scheme(const struct session *session, struct fault *fault)
{
    const struct scheme *const scheme = session->scheme;
    if (scheme->loops && !arrival_is_none(&session->options->arrival))
        return fault_set(fault, FAULT_USAGE, "--scheme %s: a loop has no start times, so --arrival is without meaning",
                         scheme->name);
    if (scheme->loops && session->options->overlap)
        return fault_set(fault, FAULT_USAGE, "--scheme %s: in a loop --overlap is without meaning", scheme->name);
    for (size_t o = 0; o < session->operations.count && scheme->rotates; o++)
        if (session->operations.items[o].root == ROOT_NONE)
            return fault_set(fault, FAULT_USAGE, "--scheme %s: %s has no root; take rooted operations or --scheme loop",
                             scheme->name, session->operations.items[o].name);
    return 0;
}

/* The derived datatype, of bytes; it ends where its last block or stride does. */
static int session_make_type(struct session *session, struct fault *fault)
{
    const struct element *const element = &session->options->element;
    MPI_Datatype blocks = MPI_DATATYPE_NULL;
    int result = element->kind == ELEMENT_VECTOR
                     ? MPI_Type_vector(element->pieces, element->length[0], element->stride, MPI_BYTE, &blocks)
                     : MPI_Type_indexed(element->pieces, element->length, element->place, MPI_BYTE, &blocks);
    if (result == MPI_SUCCESS)
        result = MPI_Type_create_resized(blocks, 0, element->extent, &session->derived);
    if (result == MPI_SUCCESS)
        result = MPI_Type_commit(&session->derived);
    if (blocks != MPI_DATATYPE_NULL)
        MPI_Type_free(&blocks);
    return team_mpi(fault, result, "--datatype");
}

const char *session_lacks(const struct session *session, const struct operation *operation)
{
    const struct options *const options = session->options;
    const bool messages = operation->sends == SHARE_PEERS && operation->prepare == NULL;
    if (operation->run == NULL)
        return operation->missing;
    if (options->in_place && !operation->in_place)
        return "the standard has no in-place form of this operation";
    if (options->large_counts && operation->forms == NULL && operation->sends != SHARE_NOTHING)
        return "this operation has no form with MPI_Count here";
    if (element_is_derived(options->datatype) && operation->reduces != REDUCES_NOTHING && operation->fixed_count == 0)
        return "a derived datatype cannot be reduced";
    if (strcmp(options->buffers, "cold") == 0 && operation->setup != NULL)
        return "a persistent operation keeps its buffers: they cannot be cold";
    if (session->scheme->rotates && (options->in_place || operation->setup != NULL))
        return "the root of an operation in place, or of a persistent one, cannot rotate";
    if (messages && session->team.size < 2)
        return "this operation needs two processes";
    return NULL;
}

/* Every case of the launch, so that a wrong one is found before the first is measured. */
static int session_check_cases(const struct session *session, struct fault *fault)
{
    const struct options *const options = session->options;
    for (size_t o = 0; o < session->operations.count; o++) {
        const struct operation *const operation = &session->operations.items[o];
        if (operation->shape == OPERATION_NO_DATA || session_lacks(session, operation) != NULL)
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
    if (options->group_size > session->team.size)
        return fault_set(fault, FAULT_USAGE, "--group-size %lld: there are %d processes",
                         (long long)options->group_size, session->team.size);
    if (element_is_derived(options->datatype) && session_make_type(session, fault))
        return (int)fault->code;
    return session_check_cases(session, fault);
}
