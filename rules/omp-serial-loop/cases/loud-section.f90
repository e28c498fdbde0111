! flags: -fopenmp
! An array operation over the interior, beside loops of the team.
program relax
  implicit none
  integer, parameter :: n = 500
  real(8) :: a(n, n), b(n, n)
  integer :: i, j, step
  !$omp parallel do private(i)
  do j = 1, n
    do i = 1, n
      a(i, j) = 1.0d0 / (i + j)
      b(i, j) = 0.0d0
    end do
  end do
  do step = 1, 20
    !$omp parallel do private(i)
    do j = 2, n - 1
      do i = 2, n - 1
        b(i, j) = 0.25d0 * (a(i - 1, j) + a(i + 1, j) + a(i, j - 1) + a(i, j + 1))
      end do
    end do
    ! expect: omp-serial-loop high "loop over its last index" no-fix
    a(2:n - 1, 2:n - 1) = b(2:n - 1, 2:n - 1)
  end do
  print '(f12.8)', a(n / 2, n / 2)
end program relax
