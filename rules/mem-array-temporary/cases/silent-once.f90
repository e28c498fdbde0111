! Outside of all loops, a loop over a few components, sections of three, and what somebody silenced.
module takes
  implicit none
contains
  subroutine run(x, n)
    integer, intent(in) :: n
    real(8), intent(inout) :: x(n)
    integer :: i
    do i = 1, n
      x(i) = x(i) + 1.0d0
    end do
  end subroutine run
end module takes

subroutine start(a, n, m)
  use takes
  implicit none
  integer, intent(in) :: n, m
  real(8), intent(inout) :: a(n, m)
  integer :: i

  call run(a(1, :), m)
  do i = 1, 5
    call run(a(i, :), m)
  end do
end subroutine start

subroutine few(a, b, n, m)
  use takes
  implicit none
  integer, intent(in) :: n, m
  real(8), intent(inout) :: a(n, 3), b(n, m)
  integer :: i, step

  do step = 1, 100
    do i = 1, n
      call run(a(i, :), 3)
      call run(b(i, :), m) ! NOLINT(stridewise-mem-array-temporary): measured
    end do
  end do
end subroutine few
