/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fault.h: an error as one line of text and the exit code of the engine.
 *
 * A function that can fail takes a struct fault and returns its code, 0 for success.
 * The first fault is retained: later ones are its consequences.
 */
#ifndef ISOCHRON_FAULT_H
#define ISOCHRON_FAULT_H

#include <stdbool.h>

enum fault_code {
    FAULT_NONE = 0,
    FAULT_USAGE = 2,       /* the command line is wrong */
    FAULT_ENVIRONMENT = 3, /* timer, clock, ranks or hosts are not as required */
    FAULT_CHECK = 4,       /* an operation returned wrong data, or an MPI type has the wrong size */
    FAULT_SYSTEM = 5,      /* an MPI call failed, memory ran out, or the output cannot be written */
    FAULT_TURN = 6         /* among residents that take turns, this launch has lost its turn */
};

struct fault {
    enum fault_code code;
    bool agreed; /* all processes have it, and it has been printed (team_agree) */
    char text[512];
};

/* Set code and a printf-style line unless a fault is set already; return the code that is set. */
int fault_set(struct fault *fault, enum fault_code code, const char *format, ...) __attribute__((format(printf, 3, 4)));

#endif
