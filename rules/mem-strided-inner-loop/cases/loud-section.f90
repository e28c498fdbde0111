! A section that walks along a row, in a loop over the rows.
subroutine shift(field, rows, columns)
  implicit none
  integer, intent(in) :: rows, columns
  real(8), intent(inout) :: field(rows, columns)
  integer :: i

  do i = 1, rows
    ! expect: mem-strided-inner-loop medium "8 * rows bytes" "write the section as a loop"
    field(i, :) = 2.0d0 * field(i, :) + 1.0d0
  end do
end subroutine shift
