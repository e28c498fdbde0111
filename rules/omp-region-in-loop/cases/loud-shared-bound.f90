! flags: -fopenmp
! A loop that ends where a shared one does is long: the finding is sure, where the shape of the rows alone is not.
subroutine scale(out, in, columns, rows)
  implicit none
  integer, intent(in) :: columns, rows
  real(8), intent(out) :: out(columns, rows)
  real(8), intent(in) :: in(columns, rows)
  integer :: i, j
  do j = 1, rows
    ! expect: omp-region-in-loop high "1 to 37 us each time" "one row of the data"
    !$omp parallel do
    do i = 1, columns
      out(i, j) = 2.0d0 * in(i, j)
    end do
    !$omp end parallel do
  end do
  !$omp parallel do private(i)
  do j = 1, rows
    do i = 1, columns
      out(i, j) = out(i, j) + in(i, j)
    end do
  end do
  !$omp end parallel do
end subroutine scale
