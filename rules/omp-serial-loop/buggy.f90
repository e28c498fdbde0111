! flags: -fopenmp
! Waves: the team computes the new heights, one thread moves the arrays on.
program waves
  implicit none
  integer, parameter :: n = 500
  real(8), allocatable :: old(:, :), now(:, :), next(:, :)
  real(8) :: damped
  integer :: i, j, step
  allocate (old(n, n), now(n, n), next(n, n))
  !$omp parallel do private(i) schedule(static)
  do j = 1, n
    do i = 1, n
      old(i, j) = 1.0d0 / (1 + (i - n / 2)**2 + (j - n / 2)**2)
      now(i, j) = old(i, j)
      next(i, j) = 0.0d0
    end do
  end do
  do step = 1, 30
    !$omp parallel do private(i) schedule(static)
    do j = 2, n - 1
      do i = 2, n - 1
        next(i, j) = 1.6d0 * now(i, j) - old(i, j) + 0.1d0 * (now(i - 1, j) + now(i + 1, j) + now(i, j - 1) + now(i, j + 1))
      end do
    end do
    ! expect: omp-serial-loop high "private(damped)" unsafe-fix
    do j = 2, n - 1
      do i = 2, n - 1
        damped = 0.999d0 * now(i, j)
        old(i, j) = damped
        now(i, j) = next(i, j)
      end do
    end do
  end do
  print '(f12.8)', now(n / 2, n / 2)
end program waves
