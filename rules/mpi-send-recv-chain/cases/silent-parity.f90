! Odd ranks receive first.
subroutine shift(row, halo, cells)
  use mpi
  implicit none
  integer, intent(in) :: cells
  real, intent(in) :: row(cells)
  real, intent(out) :: halo(cells)
  integer :: ierr, rank, ranks, up, down

  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
  up = mod(rank + ranks - 1, ranks)
  down = mod(rank + 1, ranks)
  if (mod(rank, 2) == 0) then
    call MPI_Send(row, cells, MPI_REAL, down, 5, MPI_COMM_WORLD, ierr)
    call MPI_Recv(halo, cells, MPI_REAL, up, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
  else
    call MPI_Recv(halo, cells, MPI_REAL, up, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
    call MPI_Send(row, cells, MPI_REAL, down, 5, MPI_COMM_WORLD, ierr)
  end if
end subroutine shift
