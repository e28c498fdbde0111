! flags: -fopenmp
! Each iteration fills a row for itself; a row for all is in the way of a team.
program rows
  implicit none
  integer, parameter :: n = 400
  real(8), allocatable :: a(:, :), b(:, :)
  real(8) :: row(n)
  integer :: i, j, step
  allocate (a(n, n), b(n, n))
  !$omp parallel do private(i)
  do j = 1, n
    do i = 1, n
      a(i, j) = 1.0d0 / (i + j)
      b(i, j) = 0.0d0
    end do
  end do
  do step = 1, 20
    !$omp parallel do private(i)
    do j = 1, n
      do i = 2, n - 1
        b(i, j) = a(i - 1, j) + a(i + 1, j)
      end do
    end do
    do j = 1, n
      do i = 1, n
        row(i) = 0.5d0 * b(i, j)
      end do
      do i = 1, n
        a(i, j) = row(n + 1 - i)
      end do
    end do
  end do
  print '(f12.8)', a(n / 2, n / 2)
end program rows
