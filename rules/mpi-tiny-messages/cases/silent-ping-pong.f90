! Each element is answered before the next one goes.
subroutine ask(questions, answers, count, peer)
  use mpi
  implicit none
  integer, intent(in) :: count, peer
  real(8), intent(in) :: questions(count)
  real(8), intent(out) :: answers(count)
  integer :: i, ierr, status(MPI_STATUS_SIZE)

  do i = 1, count
    call MPI_Send(questions(i), 1, MPI_DOUBLE_PRECISION, peer, 0, MPI_COMM_WORLD, ierr)
    call MPI_Recv(answers(i), 1, MPI_DOUBLE_PRECISION, peer, 0, MPI_COMM_WORLD, status, ierr)
  end do
end subroutine ask
