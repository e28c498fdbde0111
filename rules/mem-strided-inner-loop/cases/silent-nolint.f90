! A comment silences the rule.
subroutine scale(out, in, n)
  implicit none
  integer, intent(in) :: n
  real(8), intent(out) :: out(n, n)
  real(8), intent(in) :: in(n, n)
  integer :: i, j

  do i = 1, n
    do j = 1, n ! NOLINT(stridewise-mem-strided-inner-loop): n is small
      out(i, j) = 2.0d0 * in(i, j)
    end do
  end do
end subroutine scale
