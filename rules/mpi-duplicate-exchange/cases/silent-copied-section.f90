! Copies of sections, which may hold anything.
subroutine twice(cells, n, left)
  use mpi
  implicit none
  integer, intent(in) :: n, left
  real(8), intent(inout) :: cells(n, n)
  integer :: ierr

  call MPI_Send(cells(1, 1:n), n, MPI_DOUBLE_PRECISION, left, 0, MPI_COMM_WORLD, ierr)
  cells(1, n) = 0.0d0
  call MPI_Send(cells(1, 1:n), n, MPI_DOUBLE_PRECISION, left, 0, MPI_COMM_WORLD, ierr)
end subroutine twice
