! Both arms make the call, with buffers of their own.
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
    call MPI_Bcast(total, 1, MPI_DOUBLE_PRECISION, 0, comm, ierr)
  else
    call MPI_Bcast(total, 1, MPI_DOUBLE_PRECISION, 0, comm, ierr)
  end if
end subroutine report
