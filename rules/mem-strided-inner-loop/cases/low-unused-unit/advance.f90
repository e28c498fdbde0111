subroutine advance(next, field, n)
  implicit none
  integer, intent(in) :: n
  real(8), intent(inout) :: next(n, n)
  real(8), intent(in) :: field(n, n)
  integer :: i, j
  do i = 2, n - 1
    ! expect: mem-strided-inner-loop medium "over 'i' the step is 8 bytes"
    do j = 2, n - 1
      next(i, j) = 0.5d0 * field(i, j) + 0.25d0 * (field(i - 1, j) + field(i + 1, j))
    end do
  end do
end subroutine advance
