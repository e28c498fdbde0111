subroutine damp(field, next, n)
  implicit none
  integer, intent(in) :: n
  real(8), intent(inout) :: field(n, n)
  real(8), intent(in) :: next(n, n)
  integer :: i, j
  do j = 1, n
    do i = 1, n
      field(i, j) = 0.999d0 * next(i, j)
    end do
  end do
end subroutine damp
