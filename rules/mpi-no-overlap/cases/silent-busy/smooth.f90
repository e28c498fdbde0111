subroutine prepare(rows)
  implicit none
  integer, intent(in) :: rows
  if (rows < 0) print *, rows
end subroutine prepare

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
        next(i, j) = 0.25d0 * (heat(i - 1, j) + heat(i + 1, j) + heat(i, j - 1) + heat(i, j + 1))
      end do
    end do
  end subroutine smooth
end module smoothing
