! flags: -fopenmp
! A variable that holds another number, too, or that all threads have together; and columns of a length that nobody knows.
subroutine numbers(values, sums, squares, columns, n, m)
  use omp_lib
  implicit none
  integer, intent(in) :: n, m
  real(8), intent(in) :: values(n)
  real(8), intent(inout) :: sums(n), squares(n), columns(m, 0:63)
  integer :: i, me, own, group
  !$omp parallel private(i, me, own)
  own = omp_get_thread_num()
  me = omp_get_thread_num()
  ! expect: omp-barrier-in-loop medium "nowait" no-fix
  !$omp do
  do i = 1, n
    columns(mod(i, m) + 1, own) = columns(mod(i, m) + 1, own) + values(i)
  end do
  !$omp end do
  me = me * 1000
  !$omp do
  do i = 1, n
    sums(me + 1) = sums(me + 1) + values(i)
  end do
  !$omp end do
  group = omp_get_thread_num()
  !$omp do
  do i = 1, n
    squares(group + 1) = squares(group + 1) + values(i)**2
  end do
  !$omp end do
  !$omp end parallel
end subroutine numbers
