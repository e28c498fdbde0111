! flags: -fopenmp
! Elements a line apart, rows and blocks of each thread, and what a register holds.
subroutine apart(values, keys, out, n)
  use omp_lib
  implicit none
  integer, intent(in) :: n, keys(n)
  real(8), intent(in) :: values(n)
  real(8), intent(inout) :: out(n)
  real(8), allocatable :: own(:, :)
  real(8) :: padded(8, 0:63), table(256, 0:63), mine(64)
  integer :: counts(0:63), i, k, me
  allocate(own(n, 0:63))
  !$omp parallel private(i, k, me, mine)
  me = omp_get_thread_num()
  mine = 0.0d0
  ! expect: omp-barrier-in-loop medium "nowait" no-fix
  !$omp do
  do i = 1, n
    padded(1, me) = padded(1, me) + values(i)
    table(keys(i), me) = table(keys(i), me) + values(i)
    own(keys(i), me) = own(keys(i), me) + values(i)
    mine(me + 1) = mine(me + 1) + values(i)
  end do
  !$omp end do
  !$omp do
  do i = 1, n
    counts(me) = counts(me) + int(values(i))
  end do
  !$omp end do
  !$omp do
  do i = 1, n
    do k = 1, keys(i)
      out(i) = out(i) + values(k)
    end do
  end do
  !$omp end do
  !$omp do schedule(static, 64)
  do i = 1, n
    out(i) = 2.0d0 * out(i)
  end do
  !$omp end do
  !$omp end parallel
  print *, out(1), counts(0), padded(1, 0), table(1, 0), own(1, 0)
end subroutine apart
