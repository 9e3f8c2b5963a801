! SPDX-License-Identifier: BSD-3-Clause
program real
  implicit none
  include 'mpif.h'
  integer :: error, i
  double precision :: in(4), out(4)
  in = 0
  call MPI_Init(error)
  do i = 1, 6
    call MPI_Allreduce(in, out, 4, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, error)
  end do
  call MPI_Bcast(in, 3, MPI_INTEGER, 0, MPI_COMM_WORLD, error)
  call MPI_Finalize(error)
end program real
