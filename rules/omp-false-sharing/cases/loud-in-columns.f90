! flags: -fopenmp
! The thread's number by way of a variable that counts from one; records of a few numbers; an array of a module.
module shared_counts
  implicit none
  real(8), allocatable :: found(:)
  integer(8) :: hits(2, 0:63)
end module shared_counts

subroutine search(values, limit, n)
  use omp_lib
  use shared_counts
  implicit none
  integer, intent(in) :: n
  real(8), intent(in) :: values(n), limit
  integer :: i, me
  !$omp parallel default(shared) private(i, me)
  me = 1 + omp_get_thread_num()
  ! expect: omp-costly-schedule medium "schedule(dynamic,100)" fix
  !$omp do schedule(dynamic, 100)
  do i = 1, n
    if (values(i) > limit) then
      ! expect: omp-false-sharing high "write 16 bytes apart" "'hits'" "a first index of 8 elements"
      hits(1, me - 1) = hits(1, me - 1) + 1
    else if (values(i) < -limit) then
      hits(2, me - 1) = hits(2, me - 1) + 1
    end if
    ! expect: omp-false-sharing high "write 8 bytes apart" "'found'"
    found(me) = found(me) + values(i)
  end do
  !$omp end do
  !$omp end parallel
end subroutine search

! Rows go to the threads as they come for them; in each of them an element is written again and again.
subroutine rows(a, first, x, y, n)
  implicit none
  integer, intent(in) :: n, first(n + 1)
  real(8), intent(in) :: a(*), x(n)
  real(8), intent(inout) :: y(n)
  integer :: i, k
  ! expect: omp-costly-schedule medium "schedule(dynamic,2)" "where a row has 32 elements"
  !$omp parallel do private(k) schedule(dynamic, 2)
  do i = 1, n
    do k = first(i), first(i + 1) - 1
      ! expect: omp-false-sharing high "threads with neighbouring iterations write 8 bytes apart" "'y'"
      y(i) = y(i) + a(k) * x(i)
    end do
  end do
  !$omp end parallel do
end subroutine rows

! One element for each thread of the team.
subroutine blocks(values, sums, n)
  use omp_lib
  implicit none
  integer, intent(in) :: n
  real(4), intent(in) :: values(n)
  real(4), intent(inout) :: sums(*)
  integer :: i, t, threads
  threads = omp_get_max_threads()
  !$omp parallel do private(i)
  do t = 1, threads
    do i = t, n, threads
      ! expect: omp-false-sharing high "write 4 bytes apart" "'sums'"
      sums(t) = sums(t) + values(i)
    end do
  end do
  !$omp end parallel do
end subroutine blocks
