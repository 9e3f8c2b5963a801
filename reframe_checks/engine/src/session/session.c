/* SPDX-License-Identifier: BSD-3-Clause */
/* session.c: from the options to implementations, types and limits, and the end of a launch (see session.h). */
#include "session/session.h"

#include "batch/batch.h"
#include "contract/usage.h"
#include "estimate/estimator.h"
#include "operation/datatype.h"
#include "operation/operation.h"
#include "operations/operation_table.h"
#include "sync/synchroniser.h"
#include "timer/timer.h"

#include <stdlib.h>

void session_init(struct session *session)
{
    *session = (struct session){.group = MPI_COMM_NULL};
    for (size_t i = 0; i < sizeof session->derived / sizeof session->derived[0]; i++)
        session->derived[i] = MPI_DATATYPE_NULL;
}

static int session_select_implementations(struct session *session, struct fault *fault)
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

/* Return the index in session->derived of an operation's type, if that is a derived one. */
static size_t session_derived_index(const struct operation *operation)
{
    return operation->datatype == NULL ? 0 : 1 + (size_t)(operation->datatype - ELEMENT_NAMES);
}

/* Return MPI's type for a kind of basic datatype. */
static MPI_Datatype session_basic_type(enum datatype_kind kind)
{
    const MPI_Datatype types[] = {[DATATYPE_BYTE] = MPI_BYTE,
                                  [DATATYPE_INT] = MPI_INT,
                                  [DATATYPE_FLOAT] = MPI_FLOAT,
                                  [DATATYPE_DOUBLE] = MPI_DOUBLE,
                                  [DATATYPE_SIGNED_CHAR] = MPI_SIGNED_CHAR};
    return types[kind];
}

static struct datatype session_type(const struct session *session, const struct operation *operation, int64_t bytes)
{
    return datatype_of(session->options->datatype, &session->options->element, operation, bytes);
}

static void session_set_type(const struct session *session, struct call *call)
{
    const struct datatype datatype = session_type(session, call->operation, call->bytes);
    call->type = datatype.kind == DATATYPE_DERIVED ? session->derived[session_derived_index(call->operation)]
                                                   : session_basic_type(datatype.kind);
    call->type_name = datatype.name;
    call->element = datatype.element;
}

int session_measured_rank(const struct session *session)
{
    int rank = 0;
    MPI_Comm_rank(session->team.measured, &rank);
    return rank;
}

void session_call(const struct session *session, const struct operation *operation, int64_t bytes, struct call *call)
{
    const struct options *const options = session->options;
    const MPI_Comm comm = session->group == MPI_COMM_NULL ? session->team.measured : session->group;
    *call = (struct call){
        .operation = operation,
        .comm = comm,
        .idle = session->idle,
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
        .burst = operation->bursts ? (int)options->burst : 1,
        .thread_count = (int)options->threads,
        .processors = session->processors,
        .alignment = (size_t)options->alignment,
        .rma = {options->rma_window, options->rma_sync, .handle = MPI_WIN_NULL, .partners = MPI_GROUP_NULL},
        .made = {.comm = MPI_COMM_NULL, .window = MPI_WIN_NULL, .group = MPI_GROUP_NULL},
        .checked = options->check,
        .request = MPI_REQUEST_NULL,
    };
    MPI_Comm_rank(comm, &call->rank);
    MPI_Comm_size(comm, &call->size);
    session_set_type(session, call);
    call->count = operation->fixed_count > 0 ? operation->fixed_count : bytes / call->element.size;
}

/* Create a derived datatype from bytes, with the extent of its last block or stride. */
static int session_make_type(const struct element *element, MPI_Datatype *type, struct fault *fault)
{
    MPI_Datatype blocks = MPI_DATATYPE_NULL;
    int result = element->kind == ELEMENT_VECTOR
                     ? MPI_Type_vector(element->pieces, element->length[0], element->stride, MPI_BYTE, &blocks)
                     : MPI_Type_indexed(element->pieces, element->length, element->displacement, MPI_BYTE, &blocks);
    if (result == MPI_SUCCESS)
        result = MPI_Type_create_resized(blocks, 0, element->extent, type);
    if (result == MPI_SUCCESS)
        result = MPI_Type_commit(type);
    if (blocks != MPI_DATATYPE_NULL)
        MPI_Type_free(&blocks);
    return team_mpi(fault, result, "--datatype");
}

/* Create the derived datatypes of all operations, each once: that of --datatype and those of names. */
static int session_make_types(struct session *session, struct fault *fault)
{
    const struct options *const options = session->options;
    if (element_is_derived(options->datatype) && session_make_type(&options->element, &session->derived[0], fault))
        return (int)fault->code;
    for (size_t i = 0; i < session->operations.count; i++) {
        const struct operation *const operation = &session->operations.items[i];
        MPI_Datatype *const type = &session->derived[session_derived_index(operation)];
        if (operation->datatype == NULL || *type != MPI_DATATYPE_NULL)
            continue;
        const struct datatype datatype = session_type(session, operation, 0);
        if (session_make_type(&datatype.element, type, fault))
            return (int)fault->code;
    }
    return 0;
}

const char *session_datatype(const struct session *session, const struct operation *operation)
{
    return datatype_requested(session->options->datatype, operation);
}

const char *session_why_not_supported(const struct session *session, const struct operation *operation)
{
    const char *const why = usage_why_not_supported(session->options, operation, session->team.size);
    if (why != NULL || !operation_has_threads(operation) || session->thread_level >= MPI_THREAD_MULTIPLE)
        return why;
    return "the MPI library does not give MPI_THREAD_MULTIPLE";
}

int session_resolve(struct session *session, const struct options *options, struct fault *fault)
{
    session->options = options;
    session->reduction = session_reduction(options->reduce_op);
    if (session_select_implementations(session, fault))
        return (int)fault->code;
    return session_make_types(session, fault);
}

static int session_check_type(MPI_Datatype type, const struct datatype *datatype, struct fault *fault)
{
    int bytes = -1;
    if (team_mpi(fault, MPI_Type_size(type, &bytes), "MPI_Type_size") == 0 && bytes != datatype->element.size)
        fault_set(fault, FAULT_CHECK,
                  "MPI_Type_size: type %s has %d bytes instead of %d; build the engine for this MPI library",
                  datatype->name, bytes, datatype->element.size);
    return (int)fault->code;
}

int session_check_types(const struct session *session, struct fault *fault)
{
    for (enum datatype_kind kind = DATATYPE_BYTE; kind < DATATYPE_DERIVED; kind++) {
        const struct datatype basic = datatype_basic(kind);
        session_check_type(session_basic_type(kind), &basic, fault);
    }
    for (size_t i = 0; i < session->operations.count; i++) {
        const struct operation *const operation = &session->operations.items[i];
        const struct datatype datatype = session_type(session, operation, 0);
        if (datatype.kind == DATATYPE_DERIVED)
            session_check_type(session->derived[session_derived_index(operation)], &datatype, fault);
    }
    return (int)fault->code;
}

bool session_has_one_clock(const struct session *session)
{
    return (session->environment.hosts == 1 || session->simulated) && !session->options->test_clock.present;
}

bool session_time_is_exact(const struct session *session)
{
    return timer_is_exact(&session->clock.timer) && session->synchroniser->synchronise == sync_none;
}

struct stop_limits session_limits(const struct session *session)
{
    const struct options *const options = session->options;
    return (struct stop_limits){options->relative_error, options->min_valid, options->max_valid, options->max_reps,
                                options->time_budget};
}

const struct epoch *session_epoch(const struct session *session)
{
    return &session->epochs[session->epoch_count - 1];
}

void session_close(struct session *session)
{
    for (size_t i = 0; i < sizeof session->derived / sizeof session->derived[0]; i++)
        if (session->derived[i] != MPI_DATATYPE_NULL)
            MPI_Type_free(&session->derived[i]);
    operation_list_free(&session->operations);
    for (size_t e = 0; e < session->epoch_count; e++)
        epoch_free(&session->epochs[e]);
    free(session->epochs);
    if (session->probes != NULL)
        probes_close(session->probes);
    free(session->probes);
    free(session->monitor);
    environment_free(&session->environment);
    free(session->process);
    free(session->processors);
    if (session->group != MPI_COMM_NULL)
        MPI_Comm_free(&session->group);
    team_close(&session->team);
}
