! flags: -fopenmp
! A function counts its calls, which the code shows behind the loop only.
module halves
  implicit none
  integer :: calls = 0
contains
  real(8) function halved(x)
    real(8), intent(in) :: x
    calls = calls + 1
    halved = 0.5d0 * x
  end function halved
end module halves

program counts
  use halves
  implicit none
  integer, parameter :: n = 400000
  real(8), allocatable :: a(:), b(:)
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
    do i = 1, n
      a(i) = halved(b(i))
    end do
  end do
  print '(f12.8, i12)', a(n / 2), calls
end program counts
