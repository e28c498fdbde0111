! The loop calls for each element what another file has.
program main
  implicit none
  integer, parameter :: n = 200
  real(8) :: t(n, n), s(n, n), rho(n, n)
  integer :: step
  t = 10
  s = 35
  do step = 1, 20
    call states(t, s, rho)
    t = t + 1d-6 * rho
  end do
  print '(f10.4)', rho(3, 4)
contains
  subroutine states(t, s, rho)
    real(8), intent(in) :: t(n, n), s(n, n)
    real(8), intent(out) :: rho(n, n)
    real(8), external :: density
    integer :: i, j
    do j = 1, n
      ! expect: build-missed-vectorization medium "each iteration calls 'density'" "file of the loop"
      do i = 1, n
        rho(i, j) = density(t(i, j), s(i, j))
      end do
    end do
  end subroutine states
end program main
