! Functions in expressions, several sections of one call, components, blocks, steps, and a procedure without an interface.
module fields
  implicit none
  type state
    real(8), allocatable :: u(:, :), v(:, :)
  end type state
contains
  real(8) function length(x, n)
    integer, intent(in) :: n
    real(8), intent(in) :: x(n)
    integer :: i
    length = 0.0d0
    do i = 1, n
      length = max(length, abs(x(i)))
    end do
  end function length

  subroutine blend(x, y, n)
    integer, intent(in) :: n
    real(8), intent(in) :: y(*)
    real(8), intent(inout) :: x(*)
    integer :: i
    do i = 1, n
      x(i) = 0.5d0 * (x(i) + y(i))
    end do
  end subroutine blend

  subroutine first(x)
    real(8), intent(inout), contiguous :: x(:, :)
    x(1, 1) = 0.0d0
  end subroutine first
end module fields

subroutine advance(s, now, n, m, steps, most)
  use fields
  implicit none
  integer, intent(in) :: n, m, steps
  type(state), intent(inout) :: s
  real(8), intent(inout) :: now(n, m)
  real(8), intent(out) :: most
  integer :: i, step

  most = 0.0d0
  do step = 1, steps
    do i = 1, n
      ! expect: mem-array-temporary medium "'now(i,:)' is copied before each call of 'length': its"
      most = max(most, length(now(i, :), m))
      ! expect: mem-array-temporary medium "'s%u(i,:)', 's%v(i,:)' are copied before each call of 'blend' and back"
      call blend(s%u(i, :), s%v(i, :), m)
      ! expect: mem-array-temporary medium "'now(2:n-1,2:m-1)' is copied before each call of 'first' and back"
      call first(now(2:n - 1, 2:m - 1))
      ! expect: mem-array-temporary medium "'now(1:n:2,i)'"
      call blend(now(1:n:2, i), s%u(:, i), n / 2)
      ! expect: mem-array-temporary medium "'now(i,1:m)'"
      call plain(now(i, 1:m), m)
    end do
  end do
end subroutine advance

subroutine plain(x, n)
  implicit none
  integer, intent(in) :: n
  real(8), intent(inout) :: x(n)
  integer :: i
  do i = 1, n
    x(i) = x(i) + 1.0d0
  end do
end subroutine plain
