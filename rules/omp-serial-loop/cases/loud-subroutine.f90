! flags: -fopenmp
! The code shows that the iterations are independent; what the subroutine sets, the loop's text does not show.
module parts
  implicit none
contains
  subroutine halve(x, h)
    real(8), intent(in) :: x
    real(8), intent(out) :: h
    h = 0.5d0 * x
  end subroutine halve
end module parts

program calls
  use parts
  implicit none
  integer, parameter :: n = 400000
  real(8), allocatable :: a(:), b(:)
  real(8) :: h
  integer :: i, step
  allocate (a(n), b(n))
  !$omp parallel do
  do i = 1, n
    a(i) = 1.0d0 / i
    b(i) = 0.0d0
  end do
  do step = 1, 20
    !$omp parallel do
    do i = 2, n - 1
      b(i) = a(i - 1) + a(i + 1)
    end do
    ! expect: omp-serial-loop high "what the called procedures set" no-fix
    do i = 1, n
      call halve(b(i), h)
      a(i) = h
    end do
  end do
  print '(f12.8)', a(n / 2)
end program calls
