! flags: -fopenmp
! A scalar that the loop sets is read behind it.
program later
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
    do i = 1, n
      h = 0.5d0 * b(i)
      a(i) = h
    end do
    a(1) = h
  end do
  print '(f12.8)', a(n / 2)
end program later
