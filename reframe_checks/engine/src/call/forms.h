/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * forms.h: the MPI calls of a collective in all its forms, from one list of arguments.
 *
 *     #define ARGUMENTS(n) call->recv, n.recv, call->type, call->root, call->comm
 *     COLLECTIVE_FORMS(Bcast, Ibcast, ARGUMENTS)
 *
 * defines `forms` with MPI_Bcast, MPI_Ibcast, MPI_Bcast_init and, with MPI_Count for counts, MPI_Bcast_c, MPI_Ibcast_c
 * and MPI_Bcast_init_c. n stands for call->plain or call->large. What the MPI library lacks, according to
 * engine_features.h, which the Makefile generates by linking features/NAME.c, is NULL.
 */
#ifndef ISOCHRON_FORMS_H
#define ISOCHRON_FORMS_H

#include "call/call.h"
#include "engine_features.h"
#include "operation/operation.h"

#define FORM(name, function, ...)                                                                                      \
    static int name(struct call *call)                                                                                 \
    {                                                                                                                  \
        return function(__VA_ARGS__);                                                                                  \
    }

#if ENGINE_HAS_PERSISTENT
#define FORM_IF_PERSISTENT(name, function, ...) FORM(name, function, __VA_ARGS__)
#define IF_PERSISTENT(name) name
#else
#define FORM_IF_PERSISTENT(name, function, ...)
#define IF_PERSISTENT(name) NULL
#endif

#if ENGINE_HAS_LARGE_COUNTS
#define FORM_IF_LARGE(name, function, ...) FORM(name, function, __VA_ARGS__)
#define IF_LARGE(name) name
#else
#define FORM_IF_LARGE(name, function, ...)
#define IF_LARGE(name) NULL
#endif

#define PLAIN_FORMS(Name, Iname, ARGUMENTS)                                                                            \
    FORM(blocking, MPI_##Name, ARGUMENTS(call->plain))                                                                 \
    FORM(nonblocking, MPI_##Iname, ARGUMENTS(call->plain), &call->request)                                             \
    FORM_IF_PERSISTENT(persistent, MPI_##Name##_init, ARGUMENTS(call->plain), MPI_INFO_NULL, &call->request)

#define COLLECTIVE_FORMS(Name, Iname, ARGUMENTS)                                                                       \
    PLAIN_FORMS(Name, Iname, ARGUMENTS)                                                                                \
    FORM_IF_LARGE(blocking_large, MPI_##Name##_c, ARGUMENTS(call->large))                                              \
    FORM_IF_LARGE(nonblocking_large, MPI_##Iname##_c, ARGUMENTS(call->large), &call->request)                          \
    FORM_IF_LARGE(persistent_large, MPI_##Name##_init_c, ARGUMENTS(call->large), MPI_INFO_NULL, &call->request)        \
    static const struct operation_forms forms[] = {                                                                    \
        [FORMS_PLAIN] = {blocking, nonblocking, IF_PERSISTENT(persistent)},                                            \
        [FORMS_LARGE] = {IF_LARGE(blocking_large), IF_LARGE(nonblocking_large), IF_LARGE(persistent_large)},           \
    };

/* For a collective without counts, which large counts do not change. */
#define COUNTLESS_FORMS(Name, Iname, ARGUMENTS)                                                                        \
    PLAIN_FORMS(Name, Iname, ARGUMENTS)                                                                                \
    static const struct operation_forms forms[] = {                                                                    \
        [FORMS_PLAIN] = {blocking, nonblocking, IF_PERSISTENT(persistent)},                                            \
        [FORMS_LARGE] = {blocking, nonblocking, IF_PERSISTENT(persistent)},                                            \
    };

#if ENGINE_HAS_NEIGHBORHOOD
#define NEIGHBORHOOD_FORMS(Name, Iname, ARGUMENTS) COLLECTIVE_FORMS(Name, Iname, ARGUMENTS)
#else
#define NEIGHBORHOOD_FORMS(Name, Iname, ARGUMENTS) static const struct operation_forms forms[FORMS_LARGE + 1];
#endif

#endif
