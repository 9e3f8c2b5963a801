/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Open MPI's Fortran functions in small, as they are in its libmpi_mpifh: each calls PMPI. The program calls them as
 * gfortran does, by address. An MPI library without Fortran can thus show what becomes of a Fortran program.
 */
#include <mpi.h>

void pmpi_init_(MPI_Fint *error);
void pmpi_finalize_(MPI_Fint *error);
void pmpi_allreduce_(void *in, void *out, MPI_Fint *count, MPI_Fint *type, MPI_Fint *op, MPI_Fint *comm,
                     MPI_Fint *error);

#define LATER __attribute__((weak)) /* the preloaded library has them */
LATER void mpi_init_(MPI_Fint *error);
LATER void mpi_finalize_(MPI_Fint *error);
LATER void mpi_allreduce_(void *in, void *out, MPI_Fint *count, MPI_Fint *type, MPI_Fint *op, MPI_Fint *comm,
                          MPI_Fint *error);

void pmpi_init_(MPI_Fint *error)
{
    *error = PMPI_Init(NULL, NULL);
}

void pmpi_finalize_(MPI_Fint *error)
{
    *error = PMPI_Finalize();
}

void pmpi_allreduce_(void *in, void *out, MPI_Fint *count, MPI_Fint *type, MPI_Fint *op, MPI_Fint *comm,
                     MPI_Fint *error)
{
    *error = PMPI_Allreduce(in, out, *count, PMPI_Type_f2c(*type), PMPI_Op_f2c(*op), PMPI_Comm_f2c(*comm));
}

int main(void)
{
    double in[4] = {0}, out[4];
    MPI_Fint error, count = 4, type, op, comm;
    mpi_init_(&error);
    type = MPI_Type_c2f(MPI_DOUBLE);
    op = MPI_Op_c2f(MPI_SUM);
    comm = MPI_Comm_c2f(MPI_COMM_WORLD);
    for (int i = 0; i < 6; i++) {
        mpi_allreduce_(in, out, &count, &type, &op, &comm, &error);
    }
    mpi_finalize_(&error);
    return error;
}
