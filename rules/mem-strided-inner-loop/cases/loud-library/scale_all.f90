subroutine scale_all(field, n)
  implicit none
  integer, intent(in) :: n
  real(8), intent(inout) :: field(n, n)
  integer :: i, j
  do j = 1, n
    do i = 1, n
      field(i, j) = 0.999d0 * field(i, j)
    end do
  end do
end subroutine scale_all
