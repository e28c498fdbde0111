! The build lets the compiler add in any order.
! flags: -O3 -ffast-math
subroutine project(a, b, total, n, m)
  implicit none
  integer, intent(in) :: n, m
  real, intent(in) :: a(n, m), b(n)
  real, intent(out) :: total(m)
  real :: s
  integer :: i, j

  do j = 1, m
    s = 0.0
    do i = 1, n
      s = s + a(i, j) * b(i)
    end do
    total(j) = s
  end do
end subroutine project
