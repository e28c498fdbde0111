! Allocatable arrays of a module: each has memory of its own.
module fields
  implicit none
  real(8), allocatable :: heat(:, :), source(:, :)
  integer :: rows, columns, left, right
end module fields

subroutine step
  use mpi
  use fields
  implicit none
  integer :: requests(2), ierr, i, j

  call MPI_Irecv(heat(1, 0), rows, MPI_DOUBLE_PRECISION, left, 0, MPI_COMM_WORLD, requests(1), ierr)
  call MPI_Isend(heat(1, columns), rows, MPI_DOUBLE_PRECISION, right, 0, MPI_COMM_WORLD, requests(2), ierr)
  ! expect: mpi-no-overlap medium "works on arrays of other names"
  call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, ierr)
  do j = 1, columns
    do i = 1, rows
      source(i, j) = 0.999d0 * source(i, j) + 1.0d-6 * i
    end do
  end do
end subroutine step
