! Each cell needs the new value of the one above it, which both orders make first.
subroutine solve(field, rows, columns)
  implicit none
  integer, intent(in) :: rows, columns
  real(8), intent(inout) :: field(rows, columns)
  integer :: i, j

  do i = 2, rows
    ! expect: mem-strided-inner-loop medium "a whole column" "8 bytes"
    do j = 1, columns - 1
      field(i, j) = field(i, j) - 0.5d0 * field(i - 1, j)
    end do
  end do
end subroutine solve
