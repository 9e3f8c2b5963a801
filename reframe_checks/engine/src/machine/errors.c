/* SPDX-License-Identifier: BSD-3-Clause */
/* errors.c: error handlers that do nothing, so that the call returns its error. */
#include "machine/errors.h"

/* The type of MPI has no const. */
static void comm_returns(MPI_Comm *comm, int *error, ...) // NOLINT(readability-non-const-parameter)
{
    (void)comm;
    (void)error;
}

static void win_returns(MPI_Win *win, int *error, ...) // NOLINT(readability-non-const-parameter)
{
    (void)win;
    (void)error;
}

int errors_return_comm(MPI_Comm comm)
{
    MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
    int result = MPI_Comm_create_errhandler(comm_returns, &handler);
    if (result == MPI_SUCCESS)
        result = MPI_Comm_set_errhandler(comm, handler);
    if (handler != MPI_ERRHANDLER_NULL)
        MPI_Errhandler_free(&handler);
    return result;
}

int errors_return_win(MPI_Win win)
{
    MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
    int result = MPI_Win_create_errhandler(win_returns, &handler);
    if (result == MPI_SUCCESS)
        result = MPI_Win_set_errhandler(win, handler);
    if (handler != MPI_ERRHANDLER_NULL)
        MPI_Errhandler_free(&handler);
    return result;
}
