! Where both sides of an assignment might overlap, flang copies by its library; what walks across the columns is the same.
subroutine spread(a, line, n, rows)
  implicit none
  integer, intent(in) :: n, rows
  real(8), intent(inout), target :: a(n, rows)
  real(8), intent(in), target :: line(rows)
  real(8), pointer :: from(:)
  integer :: i
  from => line
  do i = 1, n
    ! expect: mem-strided-inner-loop medium "over 'i' the step is 8 bytes" "copy 8 neighbouring lines" no-fix
    a(i, :) = 0.5d0 * from(:)
  end do
end subroutine spread
