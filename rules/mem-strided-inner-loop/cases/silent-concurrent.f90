! The first index is the last one of the header, and runs innermost.
subroutine relax(field, rows, columns)
  implicit none
  integer, intent(in) :: rows, columns
  real(8), intent(inout) :: field(rows, columns)
  integer :: i, j

  do concurrent (j = 1:columns, i = 1:rows)
    field(i, j) = 0.5d0 * field(i, j) + 1.0d0
  end do
end subroutine relax
