! flags: -fopenmp
! Once in the program, and in a team already.
program once
  implicit none
  real(8) :: a(1000), b(1000)
  integer :: i
  !$omp parallel do
  do i = 1, 1000
    a(i) = sqrt(sqrt(real(i, 8)))
  end do
  !$omp parallel do
  do i = 1, 1000
    b(i) = sqrt(sqrt(real(2 * i, 8)))
  end do
  print *, a(7) + b(7)
  !$omp parallel
  call inner(a, b)
  !$omp end parallel
contains
  subroutine inner(a, b)
    real(8), intent(inout) :: a(1000), b(1000)
    integer :: i, s
    do s = 1, 100
      !$omp parallel do
      do i = 1, 1000
        a(i) = sqrt(a(i))
      end do
      !$omp parallel do
      do i = 1, 1000
        b(i) = sqrt(b(i))
      end do
    end do
  end subroutine inner
end program once
