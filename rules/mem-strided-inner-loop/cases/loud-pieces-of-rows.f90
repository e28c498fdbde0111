! Lines that are solved one by one: the coefficients' first and last elements are set apart from the others.
subroutine solve(t, r, n, m, dt)
  implicit none
  integer, intent(in) :: n, m
  real(8), intent(in) :: r(m + 1), dt
  real(8), intent(inout) :: t(n, m)
  real(8) :: a(500), b(500), c(500), d(500), w
  integer :: i, k
  do i = 1, n
    ! expect: mem-strided-inner-loop medium "get a dimension more"
    do k = 1, m
      d(k) = t(i, k)
    end do
    do k = 2, m - 1
      a(k) = -dt * r(k)
      c(k) = -dt * r(k + 1)
      b(k) = 1.0d0 - a(k) - c(k)
    end do
    a(1) = 0.0d0
    c(1) = -dt * r(2)
    b(1) = 1.0d0 - c(1)
    a(m) = -dt * r(m)
    c(m) = 0.0d0
    b(m) = 1.0d0 - a(m)
    do k = 2, m
      w = a(k) / b(k - 1)
      b(k) = b(k) - w * c(k - 1)
      d(k) = d(k) - w * d(k - 1)
    end do
    t(i, m) = d(m) / b(m)
    ! expect: mem-strided-inner-loop medium "get a dimension more"
    do k = m - 1, 1, -1
      t(i, k) = (d(k) - c(k) * t(i, k + 1)) / b(k)
    end do
  end do
end subroutine solve

! The last coefficients stay what the line before has left, which no exchange would keep.
subroutine solve_on(t, r, n, m, dt)
  implicit none
  integer, intent(in) :: n, m
  real(8), intent(in) :: r(m + 1), dt
  real(8), intent(inout) :: t(n, m)
  real(8) :: a(500), b(500), c(500), d(500), w
  integer :: i, k
  do i = 1, n
    ! expect: mem-strided-inner-loop low
    do k = 1, m
      d(k) = t(i, k)
    end do
    do k = 2, m - 1
      a(k) = -dt * r(k)
      c(k) = -dt * r(k + 1)
      b(k) = 1.0d0 - a(k) - c(k)
    end do
    a(1) = 0.0d0
    c(1) = -dt * r(2)
    b(1) = 1.0d0 - c(1)
    c(m) = a(m)
    do k = 2, m
      w = a(k) / b(k - 1)
      b(k) = b(k) - w * c(k - 1)
      d(k) = d(k) - w * d(k - 1)
    end do
    t(i, m) = d(m) / b(m)
    ! expect: mem-strided-inner-loop medium "copy 8 neighbouring lines"
    do k = m - 1, 1, -1
      t(i, k) = (d(k) - c(k) * t(i, k + 1)) / b(k)
    end do
  end do
end subroutine solve_on
