! One thread of a team communicates, and the others need not wait for it.
! flags: -fopenmp
subroutine step(heat, source, rows, columns, left, right)
  use mpi
  implicit none
  integer, intent(in) :: rows, columns, left, right
  real(8), intent(inout) :: heat(rows, 0:columns + 1), source(rows, columns)
  integer :: requests(2), ierr, i, j

  !$omp parallel private(i, j)
  !$omp master
  call MPI_Irecv(heat(1, 0), rows, MPI_DOUBLE_PRECISION, left, 0, MPI_COMM_WORLD, requests(1), ierr)
  call MPI_Isend(heat(1, columns), rows, MPI_DOUBLE_PRECISION, right, 0, MPI_COMM_WORLD, requests(2), ierr)
  call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, ierr)
  !$omp end master
  !$omp do
  do j = 1, columns
    do i = 1, rows
      source(i, j) = 0.999d0 * source(i, j) + 1.0d-6 * i
    end do
  end do
  !$omp end do
  !$omp end parallel
end subroutine step
