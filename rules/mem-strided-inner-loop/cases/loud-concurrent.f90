! DO CONCURRENT: its loops are nested in the order of its header.
subroutine relax(field, rows, columns)
  implicit none
  integer, intent(in) :: rows, columns
  real(8), intent(inout) :: field(rows, columns)
  integer :: i, j

  ! expect: mem-strided-inner-loop medium "a whole column" "8 bytes"
  do concurrent (i = 1:rows, j = 1:columns)
    field(i, j) = 0.5d0 * field(i, j) + 1.0d0
  end do
end subroutine relax
