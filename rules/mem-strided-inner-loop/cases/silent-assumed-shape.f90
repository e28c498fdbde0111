! The same with the first index innermost.
subroutine scale(out, in)
  implicit none
  real(8), intent(out) :: out(:, :)
  real(8), intent(in) :: in(:, :)
  integer :: i, j

  do j = 1, size(out, 2)
    do i = 1, size(out, 1)
      out(i, j) = 2.0d0 * in(i, j)
    end do
  end do
end subroutine scale
