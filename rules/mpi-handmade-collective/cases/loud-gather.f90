! Rank 0 collects the blocks of all others, in columns of one array.
subroutine collect(mine, all_blocks, length, comm)
  use mpi
  implicit none
  integer, intent(in) :: length, comm
  real(8), intent(in) :: mine(length)
  real(8), intent(out) :: all_blocks(length, 0:*)
  integer :: ierr, rank, ranks, r

  call MPI_Comm_rank(comm, rank, ierr)
  call MPI_Comm_size(comm, ranks, ierr)
  if (rank == 0) then
    do r = 1, ranks - 1
      ! expect: mpi-handmade-collective high "receives a block from one rank after another" "MPI_Gather"
      call MPI_Recv(all_blocks(1, r), length, MPI_DOUBLE_PRECISION, r, 3, comm, MPI_STATUS_IGNORE, ierr)
    end do
  else
    call MPI_Send(mine, length, MPI_DOUBLE_PRECISION, 0, 3, comm, ierr)
  end if
end subroutine collect
