! flags: -fopenmp
! Rows of arguments: nothing but their shape says how long the loop around the region is.
subroutine scale(out, in, columns, rows)
  implicit none
  integer, intent(in) :: columns, rows
  real(8), intent(out) :: out(columns, rows)
  real(8), intent(in) :: in(columns, rows)
  integer :: i, j
  do j = 1, rows
    ! expect: omp-region-in-loop medium "share the loop at line 9 instead" "one row of the data"
    !$omp parallel do
    do i = 1, columns
      out(i, j) = 2.0d0 * in(i, j)
    end do
    !$omp end parallel do
  end do
end subroutine scale
