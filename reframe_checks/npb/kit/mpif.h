! SPDX-License-Identifier: BSD-3-Clause
! mpif.h: the constants of mpi_fortran.c. Handles are numbers of its own, so one file serves all MPI libraries.
! Lines are comments or statements in fixed and in free form alike.
      integer MPI_SUCCESS, MPI_ERR_OTHER, MPI_STATUS_SIZE
      parameter (MPI_SUCCESS = 0, MPI_ERR_OTHER = 16)
      parameter (MPI_STATUS_SIZE = 6)
      integer MPI_COMM_WORLD, MPI_COMM_NULL, MPI_REQUEST_NULL
      parameter (MPI_COMM_WORLD = -1, MPI_COMM_NULL = -2)
      parameter (MPI_REQUEST_NULL = -3)
      integer MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_PROC_NULL
      parameter (MPI_ANY_SOURCE = -11, MPI_ANY_TAG = -12)
      parameter (MPI_PROC_NULL = -13)
      integer MPI_INTEGER, MPI_LOGICAL, MPI_REAL
      parameter (MPI_INTEGER = 1, MPI_LOGICAL = 2, MPI_REAL = 3)
      integer MPI_DOUBLE_PRECISION, MPI_COMPLEX
      parameter (MPI_DOUBLE_PRECISION = 4, MPI_COMPLEX = 5)
      integer MPI_DOUBLE_COMPLEX, MPI_INTEGER8, MPI_CHARACTER
      parameter (MPI_DOUBLE_COMPLEX = 6, MPI_INTEGER8 = 7)
      parameter (MPI_CHARACTER = 8)
      integer MPI_SUM, MPI_MAX, MPI_MIN, MPI_PROD
      parameter (MPI_SUM = 1, MPI_MAX = 2, MPI_MIN = 3, MPI_PROD = 4)
      double precision MPI_WTIME
      external MPI_WTIME
