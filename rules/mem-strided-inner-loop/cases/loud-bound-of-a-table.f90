! Columns of a grid that end at another level each: the bound becomes a test in the exchanged nest.
subroutine density(rho, t, s, levels, nx, ny, nz)
  implicit none
  integer, intent(in) :: nx, ny, nz, levels(nx, ny)
  real(8), intent(inout) :: rho(nx, ny, nz)
  real(8), intent(in) :: t(nx, ny, nz), s(nx, ny, nz)
  integer :: i, j, k
  do j = 1, ny
    do i = 1, nx
      ! expect: mem-strided-inner-loop medium "over 'i' the step is 8 bytes"
      do k = 1, levels(i, j)
        rho(i, j, k) = t(i, j, k) - 0.7d0 * s(i, j, k)
      end do
    end do
  end do
end subroutine density

! Lines that begin at a number of a table, too: one order is possible.
subroutine product(y, a, x, first, rows)
  implicit none
  integer, intent(in) :: rows, first(rows + 1)
  real(8), intent(inout) :: y(rows)
  real(8), intent(in) :: a(*), x(rows, *)
  integer :: i, k
  do i = 1, rows
    do k = first(i), first(i + 1) - 1
      y(i) = y(i) + a(k) * x(i, k)
    end do
  end do
end subroutine product
