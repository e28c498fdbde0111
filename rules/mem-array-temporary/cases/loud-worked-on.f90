! Low: what is worked on again and again, what is not in the sources, and what one loop alone is around.
module solvers
  implicit none
contains
  subroutine relax(x, n)
    integer, intent(in) :: n
    real(8), intent(inout) :: x(n)
    integer :: i, sweep
    do sweep = 1, 50
      do i = 2, n - 1
        x(i) = 0.5d0 * (x(i - 1) + x(i + 1))
      end do
    end do
  end subroutine relax

  subroutine shift(x, n)
    integer, intent(in) :: n
    real(8), intent(inout) :: x(n)
    integer :: i
    do i = 1, n
      x(i) = x(i) + 1.0d0
    end do
  end subroutine shift
end module solvers

subroutine advance(a, n, m, steps)
  use solvers
  implicit none
  integer, intent(in) :: n, m, steps
  real(8), intent(inout) :: a(n, m)
  external :: transform
  integer :: i, step

  do step = 1, steps
    do i = 1, n
      ! expect: mem-array-temporary low "'relax'" "copy it once in front of the loop"
      call relax(a(i, :), m)
      ! expect: mem-array-temporary low "'transform'"
      call transform(a(i, :), m)
    end do
  end do
  do i = 1, n
    ! expect: mem-array-temporary low "'shift'"
    call shift(a(i, :), m)
  end do
end subroutine advance
