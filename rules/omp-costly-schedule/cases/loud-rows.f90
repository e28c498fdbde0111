! flags: -fopenmp
! Rows whose length a table gives: they may differ, but one of them is too little to be fetched by itself.
subroutine multiply(start, column, value, x, y, n, entries)
  implicit none
  integer, intent(in) :: n, entries
  integer, intent(in) :: start(n + 1), column(entries)
  real(8), intent(in) :: value(entries), x(n)
  real(8), intent(out) :: y(n)
  real(8) :: total
  integer :: i, k
  ! expect: omp-costly-schedule medium "dynamic,1" "where a row has 32 elements" "chunks of 64 rows"
  !$omp parallel do schedule(dynamic) private(k, total)
  do i = 1, n
    total = 0.0d0
    do k = start(i), start(i + 1) - 1
      total = total + value(k) * x(column(k))
    end do
    y(i) = total
  end do
  !$omp end parallel do
end subroutine multiply
