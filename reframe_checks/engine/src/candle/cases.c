/* SPDX-License-Identifier: BSD-3-Clause */
/* cases.c: the table of operations and their kernels (see cases.h). */
#include "candle/cases.h"

#include "base/text.h"
#include "option_values/element.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum form { FORM_BASE, FORM_NONBLOCKING, FORM_PERSISTENT, FORM_MULTI, FORM_THREADS, FORM_THREADS_COMMS, FORMS };

/* The forms that an operation has besides its own; collectives of threads have communicators of their own. */
enum { NO_FORMS = 0, COLLECTIVE = 1, MULTI = 2, THREADS = 4 };

enum { INT = 4 /* bytes */, BURST = 64 /* messages, as by default in the engine */ };

static const struct {
    const char *name;
    enum kernel kernel;
    int forms;
    int fixed_bytes, messages;
    bool then_barrier;
} OPERATIONS[] = {
    {"barrier", KERNEL_BARRIER, COLLECTIVE, 0, 1, false},
    {"bcast", KERNEL_BCAST, COLLECTIVE | THREADS, -1, 1, false},
    {"gather", KERNEL_GATHER, COLLECTIVE, -1, 1, false},
    {"gatherv", KERNEL_GATHER, COLLECTIVE, -1, 1, false},
    {"scatter", KERNEL_SCATTER, COLLECTIVE, -1, 1, false},
    {"scatterv", KERNEL_SCATTER, COLLECTIVE, -1, 1, false},
    {"allgather", KERNEL_ALLGATHER, COLLECTIVE, -1, 1, false},
    {"allgatherv", KERNEL_ALLGATHER, COLLECTIVE, -1, 1, false},
    {"alltoall", KERNEL_ALLTOALL, COLLECTIVE, -1, 1, false},
    {"alltoallv", KERNEL_ALLTOALL, COLLECTIVE, -1, 1, false},
    {"alltoallw", KERNEL_ALLTOALL, COLLECTIVE, -1, 1, false},
    {"reduce", KERNEL_REDUCE, COLLECTIVE | THREADS, -1, 1, false},
    {"allreduce", KERNEL_ALLREDUCE, COLLECTIVE | THREADS, -1, 1, false},
    {"reduce_scatter", KERNEL_REDUCE_SCATTER, COLLECTIVE, -1, 1, false},
    {"reduce_scatter_block", KERNEL_REDUCE_SCATTER, COLLECTIVE, -1, 1, false},
    {"scan", KERNEL_SCAN, COLLECTIVE, -1, 1, false},
    {"exscan", KERNEL_SCAN, COLLECTIVE, -1, 1, false},
    {"neighbor_allgather", KERNEL_GRID, COLLECTIVE, -1, 1, false},
    {"neighbor_allgatherv", KERNEL_GRID, COLLECTIVE, -1, 1, false},
    {"neighbor_alltoall", KERNEL_GRID, COLLECTIVE, -1, 1, false},
    {"neighbor_alltoallv", KERNEL_GRID, COLLECTIVE, -1, 1, false},
    {"neighbor_alltoallw", KERNEL_GRID, COLLECTIVE, -1, 1, false},
    {"ping-pong", KERNEL_PING_PONG, MULTI | THREADS, -1, 1, false},
    {"ping-ping", KERNEL_PING_PING, MULTI | THREADS, -1, 1, false},
    {"sendrecv", KERNEL_CHAIN, MULTI | THREADS, -1, 1, false},
    {"exchange", KERNEL_NEIGHBOURS, MULTI | THREADS, -1, 1, false},
    {"transfer-1", KERNEL_PING_PONG, NO_FORMS, -1, 1, false},
    {"transfer-2", KERNEL_PING_PING, NO_FORMS, -1, 1, false},
    {"transfer-3", KERNEL_PING_PING, NO_FORMS, -1, 1, false},
    {"transfer-4", KERNEL_PING_PING, NO_FORMS, -1, 1, false},
    {"transfer-5", KERNEL_PING_PING, NO_FORMS, -1, 1, false},
    {"star", KERNEL_STAR, NO_FORMS, -1, 1, false},
    {"ring", KERNEL_NEIGHBOURS, NO_FORMS, -1, 1, false},
    {"chaos", KERNEL_ALLTOALL, NO_FORMS, -1, 1, false},
    {"istar", KERNEL_STAR, NO_FORMS, -1, 1, false},
    {"iring", KERNEL_NEIGHBOURS, NO_FORMS, -1, 1, false},
    {"ichaos", KERNEL_ALLTOALL, NO_FORMS, -1, 1, false},
    {"burst", KERNEL_ONE_WAY, NO_FORMS, -1, BURST, true},
    {"burst-both-ways", KERNEL_PING_PING, NO_FORMS, -1, BURST, false},
    {"burst-pairs", KERNEL_ONE_WAY_ALL, THREADS, -1, BURST, true},
    {"burst-pairs-both-ways", KERNEL_PING_PING_ALL, THREADS, -1, BURST, false},
    {"fan-in", KERNEL_FAN_IN, NO_FORMS, -1, BURST, true},
    {"fan-out", KERNEL_FAN_OUT, NO_FORMS, -1, BURST, true},
    {"pack", KERNEL_NOTHING, NO_FORMS, -1, 1, false},
    {"unpack", KERNEL_NOTHING, NO_FORMS, -1, 1, false},
    {"put", KERNEL_ONE_WAY, NO_FORMS, -1, 1, false},
    {"get", KERNEL_ONE_WAY, NO_FORMS, -1, 1, false},
    {"accumulate", KERNEL_ONE_WAY, NO_FORMS, -1, 1, false},
    {"get_accumulate", KERNEL_PING_PONG, NO_FORMS, -1, 1, false},
    {"fetch_and_op", KERNEL_PING_PONG, NO_FORMS, INT, 1, false},
    {"compare_and_swap", KERNEL_PING_PONG, NO_FORMS, INT, 1, false},
    {"put-burst", KERNEL_ONE_WAY, NO_FORMS, -1, BURST, false},
    {"put-burst-both-ways", KERNEL_PING_PING, NO_FORMS, -1, BURST, false},
    {"get-burst", KERNEL_ONE_WAY, NO_FORMS, -1, BURST, false},
    {"comm-dup", KERNEL_ALLREDUCE, NO_FORMS, INT, 1, false},
    {"comm-split", KERNEL_ALLGATHER, NO_FORMS, 2 * INT, 1, false},
    {"comm-create-group", KERNEL_ALLREDUCE, NO_FORMS, INT, 1, false},
    {"win-create", KERNEL_BARRIER, NO_FORMS, -1, 1, false},
    {"win-allocate", KERNEL_BARRIER, NO_FORMS, -1, 1, false},
    {"wait-pattern-up", KERNEL_NOTHING, NO_FORMS, 0, 1, false},
    {"wait-pattern-down", KERNEL_NOTHING, NO_FORMS, 0, 1, false},
    {"wait-pattern-null", KERNEL_NOTHING, NO_FORMS, 0, 1, false},
    {"basic-timer", KERNEL_NOTHING, NO_FORMS, 0, 1, false},
    {"basic-barrier", KERNEL_BARRIER, NO_FORMS, 0, 1, false},
    {"basic-allreduce-1", KERNEL_ALLREDUCE, NO_FORMS, INT, 1, true},
    {"basic-allreduce-10", KERNEL_ALLREDUCE, NO_FORMS, 10 * INT, 1, true},
    {"basic-reduce-1", KERNEL_REDUCE, NO_FORMS, INT, 1, true},
    {"basic-reduce-10", KERNEL_REDUCE, NO_FORMS, 10 * INT, 1, true},
    {"basic-bcast-1", KERNEL_BCAST, NO_FORMS, INT, 1, true},
    {"basic-gather-1", KERNEL_GATHER, NO_FORMS, INT, 1, true},
    {"basic-isend-10", KERNEL_ONE_WAY, NO_FORMS, 10 * INT, 1, true},
    {"basic-iprobe", KERNEL_BARRIER, NO_FORMS, 0, 1, false},
    {"basic-send-10", KERNEL_ONE_WAY, NO_FORMS, 10 * INT, 1, true},
    {"basic-sendrecv-1", KERNEL_PING_PING, NO_FORMS, INT, 1, true},
    {"basic-send-recv-1", KERNEL_PING_PONG, NO_FORMS, INT, 1, true},
    {"basic-persistent-5", KERNEL_ONE_WAY, NO_FORMS, INT, 5, true},
    {"basic-isend-5", KERNEL_ONE_WAY, NO_FORMS, INT, 5, true},
    {"basic-signal", KERNEL_PING_PONG, NO_FORMS, 0, 1, true},
};

enum { OPERATION_COUNT = sizeof OPERATIONS / sizeof *OPERATIONS };

/* Return true if entry o has that form. */
static bool cases_has_form(size_t o, enum form form)
{
    static const int NEEDED[FORMS] = {NO_FORMS, COLLECTIVE, COLLECTIVE, MULTI, THREADS, THREADS};
    const int forms = OPERATIONS[o].forms;
    return (forms & NEEDED[form]) == NEEDED[form] && (form != FORM_THREADS || (forms & COLLECTIVE) == 0);
}

/* All groups of an operation between two processes act at the same time. */
static enum kernel cases_kernel(size_t o, enum form form)
{
    const enum kernel kernel = OPERATIONS[o].kernel;
    if (form != FORM_MULTI)
        return kernel;
    return kernel == KERNEL_PING_PONG   ? KERNEL_PING_PONG_ALL
           : kernel == KERNEL_PING_PING ? KERNEL_PING_PING_ALL
                                        : kernel;
}

/* Set the operation of that number in the engine's --list; false after the last. */
static bool cases_operation(size_t number, struct candle_operation *operation)
{
    static const char *const BEFORE[FORMS] = {"", "i", "", "multi-", "threads-", "threads-comms-"};
    for (enum form form = FORM_BASE; form < FORMS; form++)
        for (size_t o = 0; o < OPERATION_COUNT; o++) {
            if (!cases_has_form(o, form) || number-- > 0)
                continue;
            *operation = (struct candle_operation){
                .kernel = cases_kernel(o, form),
                .fixed_bytes = OPERATIONS[o].fixed_bytes,
                .messages = OPERATIONS[o].messages,
                .then_barrier = OPERATIONS[o].then_barrier,
            };
            snprintf(operation->name, sizeof operation->name, "%s%s%s", BEFORE[form], OPERATIONS[o].name,
                     form == FORM_PERSISTENT ? "_init" : "");
            return true;
        }
    return false;
}

static bool cases_is_operation(const char *name)
{
    struct candle_operation operation;
    const char *datatype = NULL;
    for (size_t i = 0; cases_operation(i, &operation); i++)
        if (strcmp(operation.name, name) == 0 || element_follows(name, operation.name, &datatype))
            return true;
    return false;
}

static bool cases_is_named(const struct text_list *names, const char *name)
{
    for (size_t i = 0; i < names->count; i++)
        if (strcmp(names->items[i], name) == 0)
            return true;
    return false;
}

static int cases_check_names(const struct text_list *names, struct fault *fault)
{
    for (size_t i = 0; i < names->count; i++)
        if (!cases_is_operation(names->items[i]))
            return fault_set(fault, FAULT_USAGE, "--operations: '%s' is not an operation; see --list", names->items[i]);
    return 0;
}

/* Add the cases of an operation, for which there is room; datatype: that of its name, or NULL. */
static int cases_add(const struct candle_operation *operation, const struct element_name *datatype,
                     const struct sizes *sizes, struct candle_cases *cases, struct fault *fault)
{
    if (operation->fixed_bytes >= 0)
        cases->items[cases->count++] = (struct candle_case){*operation, 0};
    else if (sizes->count == 0)
        return fault_set(fault, FAULT_USAGE, "--sizes is missing; write for example 8,1KiB");
    for (size_t s = 0; operation->fixed_bytes < 0 && s < sizes->count; s++)
        if (element_fits(datatype, sizes->bytes[s]))
            cases->items[cases->count++] = (struct candle_case){*operation, sizes->bytes[s]};
    return 0;
}

/* Add what the names request of an operation: itself, then with datatypes, with which its messages are the same. */
static int cases_add_named(const struct text_list *names, const struct candle_operation *operation,
                           const struct sizes *sizes, struct candle_cases *cases, struct fault *fault)
{
    if (cases_is_named(names, operation->name) && cases_add(operation, NULL, sizes, cases, fault))
        return (int)fault->code;
    for (size_t i = 0; i < names->count; i++) {
        struct candle_operation typed = *operation;
        const struct element_name *name = NULL;
        const char *datatype = NULL;
        if (!element_follows(names->items[i], operation->name, &datatype))
            continue;
        snprintf(typed.name, sizeof typed.name, "%s", names->items[i]);
        if (element_find(operation->name, datatype, &name, fault) || cases_add(&typed, name, sizes, cases, fault))
            return (int)fault->code;
    }
    return 0;
}

int cases_list(const char *operations, const struct sizes *sizes, struct candle_cases *cases, struct fault *fault)
{
    struct text_list names;
    struct candle_operation operation;
    *cases = (struct candle_cases){0};
    if (!text_split(operations, &names))
        return errno == ENOMEM
                   ? fault_set(fault, FAULT_SYSTEM, "out of memory for the operations")
                   : fault_set(fault, FAULT_USAGE,
                               "--operations '%s': empty or repeated name; write for example bcast,reduce", operations);
    cases->items = calloc(names.count * (sizes->count + 1), sizeof *cases->items);
    if (cases->items == NULL)
        fault_set(fault, FAULT_SYSTEM, "out of memory for %zu operations", names.count);
    else
        cases_check_names(&names, fault);
    for (size_t i = 0; fault->code == FAULT_NONE && cases_operation(i, &operation); i++)
        cases_add_named(&names, &operation, sizes, cases, fault);
    if (fault->code != FAULT_NONE)
        cases_free(cases);
    text_list_free(&names);
    return (int)fault->code;
}

void cases_free(struct candle_cases *cases)
{
    free(cases->items);
    *cases = (struct candle_cases){0};
}

size_t cases_bytes(const struct candle_case *item)
{
    return (size_t)(item->operation.fixed_bytes >= 0 ? item->operation.fixed_bytes : item->bytes);
}

void cases_print_operations(FILE *stream)
{
    struct candle_operation operation;
    for (size_t i = 0; cases_operation(i, &operation); i++)
        fprintf(stream, "%-35s %s\n", operation.name, KERNEL_NAMES[operation.kernel]);
}
