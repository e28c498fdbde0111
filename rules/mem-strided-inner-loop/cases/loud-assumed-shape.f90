! Arrays of assumed shape: the step along the first index is in the descriptor, and taken for an element.
subroutine scale(out, in)
  implicit none
  real(8), intent(out) :: out(:, :)
  real(8), intent(in) :: in(:, :)
  integer :: i, j

  do i = 1, size(out, 1)
    ! expect: mem-strided-inner-loop medium "8 bytes" "and that what is passed for arrays of assumed shape is contiguous"
    do j = 1, size(out, 2)
      out(i, j) = 2.0d0 * in(i, j)
    end do
  end do
end subroutine scale
