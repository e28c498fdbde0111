! flags: -fopenmp
! One thread packs the halo while the others start on the interior: those who are free take more.
subroutine step(next, now, buffer, n)
  implicit none
  integer, intent(in) :: n
  real(8), intent(inout) :: next(n), buffer(n)
  real(8), intent(in) :: now(n)
  integer :: i
  !$omp parallel
  !$omp master
  call pack(buffer, now, n)
  !$omp end master
  !$omp do schedule(dynamic, 16)
  do i = 2, n - 1
    next(i) = 0.5d0 * (now(i - 1) + now(i + 1))
  end do
  !$omp end do
  !$omp end parallel
end subroutine step

! In a procedure that a team calls; the barrier is not met by all who come late.
subroutine called(a, b, length, n, meet)
  implicit none
  integer, intent(in) :: n, length(n)
  real(8), intent(inout) :: a(n), b(n)
  logical, intent(in) :: meet
  integer :: i, k
  !$omp do schedule(dynamic, 64) private(k)
  do i = 1, n
    do k = 1, length(i)
      a(i) = a(i) + k
    end do
  end do
  !$omp end do nowait
  if (meet) then
    !$omp barrier
  end if
  !$omp do schedule(dynamic, 16)
  do i = 1, n
    b(i) = 0.5d0 * b(i)
  end do
  !$omp end do
end subroutine called
