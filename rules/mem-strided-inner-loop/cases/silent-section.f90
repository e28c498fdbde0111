! The section walks down a column, which is contiguous.
subroutine shift(field, rows, columns)
  implicit none
  integer, intent(in) :: rows, columns
  real(8), intent(inout) :: field(rows, columns)
  integer :: i

  do i = 1, columns
    field(:, i) = 2.0d0 * field(:, i) + 1.0d0
  end do
end subroutine shift
