! flags: -fopenmp
! The largest speed is looked for by one thread in each step.
program steps
  implicit none
  integer, parameter :: n = 500
  real(8), allocatable :: u(:, :), v(:, :)
  real(8) :: fastest, dt
  integer :: i, j, step
  allocate (u(n, n), v(n, n))
  !$omp parallel do private(i)
  do j = 1, n
    do i = 1, n
      u(i, j) = 1.0d0 / (i + j)
      v(i, j) = 1.0d0 / (i + 2 * j)
    end do
  end do
  dt = 1.0d-3
  do step = 1, 20
    !$omp parallel do private(i)
    do j = 2, n - 1
      do i = 2, n - 1
        u(i, j) = u(i, j) + dt * (v(i + 1, j) - v(i - 1, j))
      end do
    end do
    fastest = 0.0d0
    ! expect: omp-serial-loop medium "reduction(max:fastest)" "!$omp parallel do" unsafe-fix
    do j = 2, n - 1
      do i = 2, n - 1
        fastest = max(fastest, abs(u(i, j)))
      end do
    end do
    dt = 1.0d-3 / (1.0d0 + fastest)
  end do
  print '(f12.8)', fastest
end program steps
