! The rank is kept from call to call; the others broadcast, the root reduces.
subroutine report(total, comm)
  use mpi
  implicit none
  real(8), intent(inout) :: total
  integer, intent(in) :: comm
  integer, save :: rank = -1
  integer :: ierr

  if (rank < 0) call MPI_Comm_rank(comm, rank, ierr)
  if (rank == 0) then
    print *, total
    ! expect: mpi-rank-guarded-collective high "rank 0 alone calls MPI_Barrier"
    call MPI_Barrier(comm, ierr)
  else
    total = 0.0d0
  end if
end subroutine report
