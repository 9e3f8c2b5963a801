/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Errors of MPI that return to the caller.
 *
 * MPI_ERRORS_RETURN is not used: in the ABI of MPI 5 libraries disagree on its value (MPICH 5.0.2: 0x143, which is
 * MPI_ERRORS_ABORT of Intel MPI 2021.18), so that a program built with the header of one would be ended by the other.
 */
#ifndef ISOCHRON_MACHINE_ERRORS_H
#define ISOCHRON_MACHINE_ERRORS_H

#include <mpi.h>

/* Let errors in calls with the communicator return; return that of MPI. */
int errors_return_comm(MPI_Comm comm);

/* The same of a window. */
int errors_return_win(MPI_Win win);

#endif
