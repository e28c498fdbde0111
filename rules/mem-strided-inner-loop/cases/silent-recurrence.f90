! Each cell needs its upper right neighbour's new value: in the other order that would be the old one.
subroutine solve(field, rows, columns)
  implicit none
  integer, intent(in) :: rows, columns
  real(8), intent(inout) :: field(rows, columns)
  integer :: i, j

  do i = 2, rows
    do j = 1, columns - 1
      field(i, j) = field(i, j) - 0.5d0 * field(i - 1, j + 1)
    end do
  end do
end subroutine solve
