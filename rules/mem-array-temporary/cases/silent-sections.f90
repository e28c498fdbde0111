! Sections in assignments and in expressions are no arguments, and those of messages are what mpi-strided-halo is about.
subroutine advance(a, b, n, m, steps)
  implicit none
  integer, intent(in) :: n, m, steps
  real(8), intent(inout) :: a(n, m), b(m)
  integer :: j, step

  do step = 1, steps
    do j = 2, m
      a(:, j) = a(:, j) + b(j) * a(:, j - 1)
      b(j) = b(j) + sum(a(1:n:2, j))
    end do
  end do
end subroutine advance

subroutine send(a, n, m, steps)
  use mpi
  implicit none
  integer, intent(in) :: n, m, steps
  real(8), intent(inout) :: a(n, m)
  integer :: i, step, ierr

  do step = 1, steps
    do i = 1, n
      call MPI_Bcast(a(i, :), m, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD, ierr)
    end do
  end do
end subroutine send
