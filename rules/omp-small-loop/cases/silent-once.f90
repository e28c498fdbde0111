! flags: -fopenmp
! Once in the program; and where a team runs already.
program once
  implicit none
  real(8) :: a(20)
  integer :: i
  !$omp parallel do
  do i = 1, 20
    a(i) = real(i, 8)
  end do
  print *, a(3)
  !$omp parallel
  call inner(a)
  !$omp end parallel
contains
  subroutine inner(a)
    real(8), intent(inout) :: a(20)
    integer :: i
    !$omp parallel do
    do i = 1, 20
      a(i) = a(i) + 1.0d0
    end do
  end subroutine inner
end program once
