/* SPDX-License-Identifier: BSD-3-Clause */
/* session_resolve.c: from the words of the options to implementations, types and limits (see session.h). */
#include "session/session_resolve.h"

#include "estimate/estimator_table.h"
#include "operation/datatype.h"
#include "operation/operation_select.h"
#include "operations/operation_forms.h"
#include "scheme/scheme_table.h"
#include "sync/synchroniser_table.h"
#include "timer/timer_table.h"
#include "usage/usage.h"

static int session_find_implementations(struct session *session, struct fault *fault)
{
    const struct options *const options = session->options;
    session->timer = timer_of(options->timer);
    session->estimator = estimator_of(options->offset);
    session->stop = stop_of(options->stop);
    session->synchroniser = synchroniser_of(options->clock_sync);
    session->scheme = scheme_of(options->scheme);
    if (operation_expand(options->large_counts, &session->operations, fault))
        return (int)fault->code;
    return operation_select(options->operations, &session->operations, fault);
}

static MPI_Op session_reduction(enum reduction_choice choice)
{
    const MPI_Op reductions[] = {
        [REDUCTION_SUM] = MPI_SUM, [REDUCTION_MAX] = MPI_MAX, [REDUCTION_MIN] = MPI_MIN, [REDUCTION_PROD] = MPI_PROD};
    return reductions[choice];
}

/* MPI's type of each kind of elements. */
static MPI_Datatype session_type(const struct session *session, enum datatype_kind kind)
{
    const MPI_Datatype types[] = {[DATATYPE_BYTE] = MPI_BYTE,
                                  [DATATYPE_INT] = MPI_INT,
                                  [DATATYPE_FLOAT] = MPI_FLOAT,
                                  [DATATYPE_DOUBLE] = MPI_DOUBLE,
                                  [DATATYPE_SIGNED_CHAR] = MPI_SIGNED_CHAR,
                                  [DATATYPE_DERIVED] = session->derived};
    return types[kind];
}

static void session_set_type(const struct session *session, struct call *call)
{
    const struct options *const options = session->options;
    const struct datatype datatype = datatype_of(options->datatype, &options->element, call->operation, call->bytes);
    call->type = session_type(session, datatype.kind);
    call->type_name = datatype.name;
    call->element = datatype.element;
}

/* The rank of this process in the measured communicator. */
static int session_measured_rank(const struct session *session)
{
    int rank = 0;
    MPI_Comm_rank(session->team.measured, &rank);
    return rank;
}

void session_call(const struct session *session, const struct operation *operation, int64_t bytes, struct call *call)
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
        .unbalanced = options->counts == COUNTS_UNBALANCED,
        .large_counts = options->large_counts,
        .graph = options->topology == TOPOLOGY_GRAPH,
        .group_size = (int)options->group_size,
        .request = MPI_REQUEST_NULL,
    };
    session_set_type(session, call);
    call->count = operation->fixed_count > 0 ? operation->fixed_count : bytes / call->element.size;
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
    return usage_lacks(session->options, operation, session->team.size);
}

int session_resolve(struct session *session, const struct options *options, struct fault *fault)
{
    session->options = options;
    session->reduction = session_reduction(options->reduce_op);
    if (session_find_implementations(session, fault))
        return (int)fault->code;
    return element_is_derived(options->datatype) ? session_make_type(session, fault) : 0;
}

int session_check_types(const struct session *session, struct fault *fault)
{
    for (enum datatype_kind kind = DATATYPE_BYTE; kind <= DATATYPE_DERIVED; kind++) {
        const MPI_Datatype type = session_type(session, kind);
        const struct datatype basic = datatype_basic(kind);
        const int right = kind == DATATYPE_DERIVED ? session->options->element.size : basic.element.size;
        int bytes = -1;
        if (type != MPI_DATATYPE_NULL && team_mpi(fault, MPI_Type_size(type, &bytes), "MPI_Type_size") == 0 &&
            bytes != right)
            fault_set(fault, FAULT_CHECK,
                      "MPI_Type_size says that an element of type %s has %d bytes, and %d are right; the MPI library "
                      "is not of the kind for which the engine was built",
                      basic.name, bytes, right);
    }
    return (int)fault->code;
}
