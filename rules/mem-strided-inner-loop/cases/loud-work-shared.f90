! A team shares the rows; shared columns would be as good, since all cells are independent.
subroutine scale(out, in, n)
  implicit none
  integer, intent(in) :: n
  real(8), intent(out) :: out(n, n)
  real(8), intent(in) :: in(n, n)
  integer :: i, j

  !$omp parallel do private(j)
  do i = 1, n
    ! expect: mem-strided-inner-loop medium "8 bytes" "the directive then belongs to the loop over 'j'"
    do j = 1, n
      out(i, j) = 2.0d0 * in(i, j)
    end do
  end do
  !$omp end parallel do
end subroutine scale
