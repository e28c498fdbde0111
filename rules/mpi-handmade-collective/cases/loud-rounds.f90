! A sum over a row of ranks by hand, as solvers of the nineties have it.
subroutine sum_of_row(total, partner, rounds)
  use mpi
  implicit none
  integer, intent(in) :: rounds, partner(rounds)
  double precision, intent(inout) :: total
  double precision :: theirs
  integer :: i, request, ierr
  do i = 1, rounds
    call MPI_Irecv(theirs, 1, MPI_DOUBLE_PRECISION, partner(i), i, MPI_COMM_WORLD, request, ierr)
    ! expect: mpi-handmade-collective medium "'i' over partners combines values" "MPI_Allreduce"
    call MPI_Send(total, 1, MPI_DOUBLE_PRECISION, partner(i), i, MPI_COMM_WORLD, ierr)
    call MPI_Wait(request, MPI_STATUS_IGNORE, ierr)
    total = total + theirs
  end do
end subroutine sum_of_row
