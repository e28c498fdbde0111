! Sums of columns, and of rows that are looked at once.
subroutine columns(field, nx, ny, mean, most, first)
  implicit none
  integer, intent(in) :: nx, ny
  real(8), intent(in) :: field(nx, ny)
  real(8), intent(out) :: mean(ny), most(ny), first
  integer :: j
  do j = 1, ny
    mean(j) = sum(field(:, j)) / nx
    most(j) = maxval(field(2:nx - 1, j))
  end do
  first = sum(field(1, :))
end subroutine columns

subroutine shapes(field, mean)
  implicit none
  real(8), intent(in) :: field(:, :)
  real(8), intent(out) :: mean(:)
  integer :: j
  do j = 1, size(mean)
    mean(j) = sum(field(:, j)) + dot_product(field(:, j), field(:, 1))
  end do
end subroutine shapes
