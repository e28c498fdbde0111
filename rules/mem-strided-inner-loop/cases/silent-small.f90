! A nest that stays in the first-level cache.
subroutine turn(small)
  implicit none
  real(8), intent(inout) :: small(24, 24)
  integer :: i, j

  do i = 1, 24
    do j = 1, 24
      small(i, j) = 2.0d0 * small(i, j)
    end do
  end do
end subroutine turn
