! An array of assumed shape, which is handed over as it lies, or as a copy.
subroutine twice(cells, n, left)
  use mpi
  implicit none
  integer, intent(in) :: n, left
  real(8), intent(inout) :: cells(:, :)
  integer :: ierr

  call MPI_Send(cells, n, MPI_DOUBLE_PRECISION, left, 0, MPI_COMM_WORLD, ierr)
  ! expect: mpi-duplicate-exchange high "sends 'cells' a second time"
  call MPI_Send(cells, n, MPI_DOUBLE_PRECISION, left, 0, MPI_COMM_WORLD, ierr)
end subroutine twice
