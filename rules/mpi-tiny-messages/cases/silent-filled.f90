! Each element is new: the library's generator makes it in the loop.
subroutine draw(samples, count, peer)
  use mpi
  implicit none
  integer, intent(in) :: count, peer
  real(8), intent(out) :: samples(count)
  integer :: i, ierr

  do i = 1, count
    call random_number(samples)
    call MPI_Send(samples(i), 1, MPI_DOUBLE_PRECISION, peer, 0, MPI_COMM_WORLD, ierr)
  end do
end subroutine draw
