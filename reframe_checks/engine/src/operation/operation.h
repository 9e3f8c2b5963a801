/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * operation.h: the operations that can be measured: their description, properties, selection and listing.
 *
 * An operation states what each process sends and receives; counts, displacements, buffers, known data and their check
 * follow from that (call.h, check.h). A collective gives its arguments once (forms.h); its nonblocking and persistent
 * forms and those with large counts are derived from them (operation_table.h). An operation with a datatype of its own,
 * NAME@DATATYPE, is one of its own (operation_select).
 */
#ifndef ISOCHRON_OPERATION_H
#define ISOCHRON_OPERATION_H

#include "base/condition.h"
#include "base/fault.h"
#include "operation/operation_form.h"
#include "option_values/element.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct call;

enum operation_shape {
    OPERATION_NO_DATA, /* measured once, bytes = 0 */
    OPERATION_VECTOR,  /* bytes is the size of one vector */
    OPERATION_BLOCKS   /* bytes is the size of each process's block: buffers hold up to size blocks */
};

/* What a process sends, or receives. */
enum operation_share {
    SHARE_NOTHING,
    SHARE_BLOCK, /* one block, the same for all */
    SHARE_EACH,  /* one block for, or from, each process of the communicator */
    SHARE_PEERS  /* one block for, or from, each rank from the operation's peers function */
};

/* The side of the target that lies in the window of a one-sided operation (call/rma.h). */
enum operation_exposure { EXPOSES_NOTHING, EXPOSES_RECEIVED, EXPOSES_SENT };

enum operation_root { ROOT_NONE, ROOT_SENDS, ROOT_RECEIVES };

/* The ranks over which a process receives the reduction. */
enum operation_reduction { REDUCES_NOTHING, REDUCES_ALL, REDUCES_UP_TO_RANK, REDUCES_BELOW_RANK };

/* The forms of one MPI collective; NULL: the MPI library lacks it. */
struct operation_forms {
    int (*blocking)(struct call *call);
    int (*nonblocking)(struct call *call); /* sets call->request */
    int (*persistent)(struct call *call);  /* sets call->request, which is then started */
};

enum { FORMS_PLAIN, FORMS_LARGE }; /* with int counts; with MPI_Count */

struct operation {
    char name[48]; /* of its form, from operations.def */
    const char *group;
    enum operation_form form;
    const char *bytes_means;
    enum operation_shape shape;
    enum operation_share sends, receives;
    enum operation_root root;
    enum operation_reduction reduces;
    enum operation_exposure exposes;
    bool in_place;    /* the standard has an in-place form */
    bool one_buffer;  /* the only argument of the operation is the receive buffer */
    bool varied;      /* takes a count for each block: --counts applies */
    bool typed;       /* takes a type for each block, and displacements in bytes */
    bool hidden;      /* for tests: not listed and not part of "all" */
    bool known_time;  /* a self-check with a known true time */
    bool pairs;       /* the default group has two processes */
    bool plain_sends; /* it sends by messages_send and messages_isend only: --buffered-sends applies */
    bool packs;       /* call->packed has memory for what this process sends, as MPI_Pack needs */
    bool all_groups;  /* the form multi-...: all groups act at the same time, not only the first */
    bool updates;     /* one-sided, by the first of a pair: the result depends on what the target's memory had */
    bool makes;       /* it makes a communicator or a window, which the MPI library may refuse */
    bool bursts;      /* --burst messages to each peer, each with a block of its own; moved is then of a message */
    int fixed_count;  /* number of ints, independent of --sizes; 0: from --sizes */
    const struct element_name *datatype; /* that of its name, after '@'; NULL: by --datatype */
    int moved; /* bytes moved by one execution, for its bandwidth, as a multiple of bytes; 0: undefined */

    /* Optional: create a communicator. */
    int (*prepare)(struct call *call, struct fault *fault);
    /* With SHARE_PEERS: write the ranks that this process sends to, or receives from; return their number. */
    int (*peers)(const struct call *call, bool sending, int *ranks);
    /* A collective has forms; any other operation has execute. */
    const struct operation_forms *forms;

    /* Optional, untimed, return the MPI result: when the buffers have other data; before a check of the results. */
    int (*before)(struct call *call);
    int (*after)(struct call *call);
    /* Optional: prepare each execution, untimed except in loops; return the MPI result. */
    int (*ready)(struct call *call);
    /* The timed call itself; return the MPI result. NULL: not supported, for the reason in missing. */
    int (*execute)(struct call *call);
    /* Of rma_execute: move a block between the memory of this process and a place in the window of its partner. */
    int (*transfer)(struct call *call, void *own, int64_t place);
    /* In the forms of threads: what every thread executes (call/threads.h). */
    int (*in_thread)(struct call *call);
    /* Optional: what follows a repetition, never timed; return the MPI result. */
    int (*finish)(struct call *call);
    /* For operations that start and complete: execute = start, then wait. */
    int (*start)(struct call *call);
    /* For persistent operations: create the requests for the buffers in use. */
    int (*setup)(struct call *call);
    const char *missing;
};

/* The data of an operation in which each process sends to ranks, and receives from ranks, that a function writes. */
#define OPERATION_AMONG(ranks) .sends = SHARE_PEERS, .receives = SHARE_PEERS, .peers = ranks

/* The operations that a launch measures, in the order of --list. */
struct operation_list {
    struct operation *items;
    size_t count;
};

/*
 * Return a property of an operation by its name, such as "root", for conditions and --describe; unknown if there is
 * none. It is the same for every MPI library: whether a library has the call is not a property.
 */
struct variable operation_variable(const struct operation *operation, const char *name);

/* Return the name of property i, from 0 on; NULL after the last. */
const char *operation_variable_name(size_t i);

/* Return true if every thread of a process executes it. */
bool operation_has_threads(const struct operation *operation);

/*
 * Retain in the list what the text selects: operations, groups and "all", comma-separated. OPERATION@DATATYPE selects
 * the operation with that datatype; it follows after the operation itself. A usage fault for others.
 */
int operation_select(const char *text, struct operation_list *list, struct fault *fault);

void operation_list_free(struct operation_list *list);

/* Print the operations as a table for users. */
void operation_print_table(const struct operation_list *all, FILE *stream);

#endif
