/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fault.h: what went wrong, in one line, and the exit code it ends in.
 *
 * A function that can fail takes a struct fault and returns its code, 0 for success.
 * The first fault that is set stays: later ones are consequences.
 */
#ifndef ISOCHRON_FAULT_H
#define ISOCHRON_FAULT_H

#include <stdbool.h>

enum fault_code {
    FAULT_NONE = 0,
    FAULT_USAGE = 2,       /* the command line is wrong */
    FAULT_ENVIRONMENT = 3, /* timer, clock, ranks or hosts are not as demanded */
    FAULT_CHECK = 4,       /* an operation returned wrong data, or a type has another size than it should */
    FAULT_SYSTEM = 5       /* an MPI call failed, memory ran out, or the output cannot be written */
};

struct fault {
    enum fault_code code;
    bool agreed; /* all processes know of it, and it has been printed (team.h) */
    char text[512];
};

/* Records code and a printf-style line, unless a fault is already recorded; returns the recorded code. */
int fault_set(struct fault *fault, enum fault_code code, const char *format, ...) __attribute__((format(printf, 3, 4)));

#endif
