! A table of neighbours is no list of all ranks.
subroutine exchange(mine, blocks, length, near, nears, comm)
  use mpi
  implicit none
  integer, intent(in) :: length, nears, near(nears), comm
  real(8), intent(in) :: mine(length)
  real(8), intent(out) :: blocks(length, nears)
  integer :: ierr, k, requests(2 * nears)

  do k = 1, nears
    call MPI_Irecv(blocks(1, k), length, MPI_DOUBLE_PRECISION, near(k), 3, comm, requests(k), ierr)
    call MPI_Isend(mine, length, MPI_DOUBLE_PRECISION, near(k), 3, comm, requests(nears + k), ierr)
  end do
  call MPI_Waitall(2 * nears, requests, MPI_STATUSES_IGNORE, ierr)
end subroutine exchange
