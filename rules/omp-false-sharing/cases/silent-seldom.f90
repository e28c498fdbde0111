! flags: -fopenmp
! One write beside long work or once for each thread, a new extreme, one thread alone, one thread after another.
subroutine seldom(matrix, values, found, times, rows, columns, n)
  use omp_lib
  implicit none
  integer, intent(in) :: rows, columns, n
  real(8), intent(in) :: matrix(columns, rows), values(n)
  real(8), intent(inout) :: found(rows), times(0:63)
  real(8) :: most(0:63), here(0:63), alone(0:63), turns(0:63), few(0:63), begin
  real(8) :: line
  integer :: i, k, me
  !$omp parallel private(i, k, me, line, begin)
  me = omp_get_thread_num()
  here(me) = 1.0d0
  do i = 1, 10
    few(me) = few(me) + values(i)
  end do
  do i = 1, n
    begin = omp_get_wtime()
    call work(i)
    times(me) = times(me) + omp_get_wtime() - begin
  end do
  !$omp do schedule(static, 1)
  do i = 1, rows
    line = 0.0d0
    do k = 1, columns
      line = line + matrix(k, i)**2
    end do
    found(i) = line
  end do
  !$omp end do
  !$omp do
  do i = 1, n
    if (values(i) > most(me)) most(me) = values(i)
  end do
  !$omp end do
  if (me == 0) then
    do i = 1, n
      alone(me) = alone(me) + values(i)
    end do
  end if
  do i = 1, n
    if (omp_get_thread_num() == 0) then
      here(omp_get_thread_num()) = here(omp_get_thread_num()) + values(i)
    end if
  end do
  !$omp do
  do k = 1, 4
    do i = 1, n
      if (values(i) > turns(k) + k) turns(k) = values(i)
    end do
  end do
  !$omp end do
  !$omp single
  do i = 1, n
    turns(me) = turns(me) + values(i)
  end do
  !$omp end single
  !$omp end parallel
  print *, most(0), here(0), alone(0), turns(0), few(0)
end subroutine seldom
