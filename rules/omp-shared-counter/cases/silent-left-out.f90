! flags: -fopenmp
! All threads or iterations but one are left out before.
subroutine tell(a, n, steps, first)
  use omp_lib
  implicit none
  integer, intent(in) :: n
  real(8), intent(in) :: a(n)
  integer, intent(inout) :: steps, first
  integer :: i
  !$omp parallel do
  do i = 1, n
    if (omp_get_thread_num() /= 0) cycle
    steps = steps + 1
  end do
  !$omp parallel do
  do i = 1, n
    if (a(i) .ne. 7.0d0) then
      cycle
    end if
    first = i + 1
    if (first > n) print *, first
  end do
end subroutine tell
