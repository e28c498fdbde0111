! flags: -fopenmp
! Procedures that others contain, with variables of the call, or of each thread.
program main
  implicit none
  real(8) :: x(1000)
  integer :: i
  x = 1
  !$omp parallel do
  do i = 1, 1000
    call advance(x(i))
  end do
  !$omp end parallel do
  print '(f8.3)', x(1)
contains
  subroutine advance(y)
    real(8), intent(inout) :: y
    integer :: calls
    calls = int(y)
    y = y + 0.5d0 * calls
  end subroutine advance
end program main

module steps
  implicit none
contains
  subroutine sweep(x, n)
    integer, intent(in) :: n
    real(8), intent(inout) :: x(n)
    integer :: i
    !$omp parallel do
    do i = 1, n
      x(i) = x(i) * weight(x(i))
    end do
    !$omp end parallel do
  contains
    function weight(y) result(w)
      real(8), intent(in) :: y
      real(8) :: w
      real(8), save :: part
      !$omp threadprivate(part)
      part = 0.5d0 * y
      w = 1 / (1 + part * part)
    end function weight
  end subroutine sweep
end module steps
