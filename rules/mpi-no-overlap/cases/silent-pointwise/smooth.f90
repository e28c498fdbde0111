module smoothing
  implicit none
contains
  subroutine smooth(heat, next, rows, columns)
    integer, intent(in) :: rows, columns
    real(8), intent(in) :: heat(rows, 0:columns + 1)
    real(8), intent(inout) :: next(rows, 0:columns + 1)
    integer :: i, j
    do j = 1, columns
      do i = 2, rows - 1
        next(i, j) = 0.25d0 * heat(i, j) + 0.75d0 * next(i, j)
      end do
    end do
  end subroutine smooth
end module smoothing
