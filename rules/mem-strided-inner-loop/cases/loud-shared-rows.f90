! A team shares the rows, since each cell needs the one before it in its row: shared columns would have to wait. Rows
! that a thread has can go side by side.
subroutine accumulate(field, n)
  implicit none
  integer, intent(in) :: n
  real(8), intent(inout) :: field(n, n)
  integer :: i, j

  !$omp parallel do private(j)
  do i = 1, n
    ! expect: mem-strided-inner-loop medium "iterations of 'i' (line 10), side by side" no-fix
    do j = 2, n
      field(i, j) = field(i, j) + 0.5d0 * field(i, j - 1)
    end do
  end do
  !$omp end parallel do
end subroutine accumulate
