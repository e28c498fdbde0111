! A border across the contiguous index, gathered by a datatype that the module keeps.
module rows_of
  implicit none
  integer, parameter :: height = 256, width = 4096
  integer :: row
  real(8) :: cells(0:height + 1, width)
end module rows_of

subroutine prepare
  use mpi
  use rows_of
  implicit none
  integer :: ierr

  call MPI_Type_vector(width, 1, height + 2, MPI_DOUBLE_PRECISION, row, ierr)
  call MPI_Type_commit(row, ierr)
end subroutine prepare

subroutine exchange(rank, ranks)
  use mpi
  use rows_of
  implicit none
  integer, intent(out) :: rank, ranks
  integer :: ierr, up, down

  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
  up = mod(rank + ranks - 1, ranks)
  down = mod(rank + 1, ranks)
  ! expect: mpi-strided-halo high "the halo of 'cells'" "gathered by a datatype" "4096 pieces of 8 bytes"
  call MPI_Sendrecv(cells(height, 1), 1, row, down, 0, cells(0, 1), 1, row, up, 0, MPI_COMM_WORLD, &
                    MPI_STATUS_IGNORE, ierr)
  call MPI_Sendrecv(cells(1, 1), 1, row, up, 1, cells(height + 1, 1), 1, row, down, 1, MPI_COMM_WORLD, &
                    MPI_STATUS_IGNORE, ierr)
end subroutine exchange
