! flags: -fopenmp
! Rows of a sparse matrix, many at a time: a table has the length of each.
subroutine spmv(y, x, a, col, row, n)
  implicit none
  integer, intent(in) :: n, row(n + 1), col(*)
  real(8), intent(out) :: y(n)
  real(8), intent(in) :: x(n), a(*)
  real(8) :: s
  integer :: i, k
  !$omp parallel do schedule(dynamic, 64) private(k, s)
  do i = 1, n
    s = 0.0d0
    do k = row(i), row(i + 1) - 1
      s = s + a(k) * x(col(k))
    end do
    y(i) = s
  end do
end subroutine spmv
