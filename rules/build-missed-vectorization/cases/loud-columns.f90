! Called for one column after another: here the calls alone say that it runs again and again. What is called in each
! tenth step only, or for each element of a plane, is silent or low.
module columns
  implicit none
contains
  subroutine length(v, n, total)
    integer, intent(in) :: n
    real, intent(in) :: v(n)
    real, intent(out) :: total
    integer :: i
    total = 0.0
    ! expect: build-missed-vectorization medium "'total'"
    do i = 1, n
      total = total + v(i) * v(i)
    end do
  end subroutine length

  subroutine check(v, n, total)
    integer, intent(in) :: n
    real, intent(in) :: v(n)
    real, intent(out) :: total
    integer :: i
    total = 0.0
    do i = 1, n
      total = total + abs(v(i))
    end do
  end subroutine check

  subroutine profile(v, n, total)
    integer, intent(in) :: n
    real, intent(in) :: v(n)
    real, intent(out) :: total
    integer :: i
    total = 0.0
    ! expect: build-missed-vectorization low
    do i = 1, n
      total = total + v(i) * (v(i) + 1.0)
    end do
  end subroutine profile
end module columns

subroutine drive(a, s, n, m)
  use columns
  implicit none
  integer, intent(in) :: n, m
  real, intent(in) :: a(n, m, m)
  real, intent(inout) :: s(m, m)
  integer :: j, k

  do k = 1, m
    call length(a(:, 1, k), n, s(k, 1))
    if (mod(k, 10) == 0) call check(a(:, 1, k), n, s(k, 2))
    do j = 3, m
      call profile(a(:, j, k), n, s(j, k))
    end do
  end do
end subroutine drive
