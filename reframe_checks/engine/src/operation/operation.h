/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * operation.h: what can be measured. An operation is one file in src/operations and one line of its table.
 *
 * An operation says what each process sends and receives; counts, displacements, buffers, known data and their check
 * follow from that (call.h, check.h). A collective gives its arguments once (forms.h); its nonblocking and persistent
 * forms and those with large counts are made from them when operations are selected.
 */
#ifndef ISOCHRON_OPERATION_H
#define ISOCHRON_OPERATION_H

#include "base/fault.h"

#include <stdbool.h>
#include <stddef.h>

struct call;

enum operation_shape {
    OPERATION_NO_DATA, /* measured once, bytes = 0 */
    OPERATION_VECTOR,  /* bytes is one vector */
    OPERATION_BLOCKS   /* bytes is the block of each process: buffers hold up to size blocks */
};

/* What one process sends, or receives. */
enum operation_share {
    SHARE_NOTHING,
    SHARE_BLOCK, /* one block, the same for all */
    SHARE_EACH,  /* one block for, or from, each process of the communicator */
    SHARE_PEERS  /* one block for, or from, each rank that the operation's peers function gives */
};

enum operation_root { ROOT_NONE, ROOT_SENDS, ROOT_RECEIVES };

/* Over which ranks a process receives the reduction. */
enum operation_reduction { REDUCES_NOTHING, REDUCES_ALL, REDUCES_UP_TO_OWN, REDUCES_BEFORE_OWN };

/* One MPI call of a collective, a form each; NULL: the MPI library has it not. */
struct operation_forms {
    int (*blocking)(struct call *call);
    int (*nonblocking)(struct call *call); /* sets call->request */
    int (*persistent)(struct call *call);  /* sets call->request, to be started */
};

enum { FORMS_PLAIN, FORMS_LARGE }; /* with int counts; with MPI_Count */

/* Which form of a described operation it is. */
enum operation_form { FORM_OWN, FORM_NONBLOCKING, FORM_PERSISTENT, FORM_MULTI, FORM_COUNT };

struct operation {
    char name[40];
    const char *group;
    enum operation_form form;
    const char *bytes_means;
    enum operation_shape shape;
    enum operation_share sends, receives;
    enum operation_root root;
    enum operation_reduction reduces;
    bool in_place;    /* the standard has an in-place form */
    bool one_buffer;  /* the only argument of the operation is the receive buffer */
    bool varied;      /* takes a count for each block: --counts applies */
    bool typed;       /* takes a type for each block, and displacements in bytes */
    bool hidden;      /* for tests: not listed and not part of "all" */
    bool known_time;  /* a self-check: its true time is known */
    bool pairs;       /* processes act in pairs unless --group-size says otherwise */
    bool multi;       /* has a form multi-... */
    bool plain_sends; /* all that it sends goes by messages_send or messages_isend: --buffered-sends applies */
    bool all_groups;  /* is that form: all groups act at the same time, not the first alone */
    int fixed_count;  /* so many ints, whatever --sizes says */
    int moved;        /* bytes moved by one run, as bandwidth is defined for it, over bytes; 0: undefined */

    /* Optional: makes a communicator. */
    int (*prepare)(struct call *call, struct fault *fault);
    /* With SHARE_PEERS: writes the ranks that this process sends to, or receives from; returns how many. */
    int (*peers)(const struct call *call, bool sending, int *ranks);
    /* A collective has forms; any other operation has run. */
    const struct operation_forms *forms;

    /* Optional: what must be over on all processes before the call, and is not part of it; returns the MPI result. */
    int (*ready)(struct call *call);
    /* The timed call itself; returns the MPI result. NULL: not supported, because of what missing says. */
    int (*run)(struct call *call);
    /* For operations that start and complete: run = start, then wait. */
    int (*start)(struct call *call);
    /* For persistent operations: makes the requests for the buffers in use. */
    int (*setup)(struct call *call);
    const char *missing;
};

/* The operations that a launch measures, in the order of --list. */
struct operation_list {
    struct operation *items;
    size_t count;
};

#endif
