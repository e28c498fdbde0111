! flags: -fopenmp
! Threads that leave a loop one by one meet at a barrier before the loop whose iterations are fetched one by one.
subroutine step(a, b, c, n)
  implicit none
  integer, intent(in) :: n
  real(8), intent(inout) :: a(n), b(n), c(n)
  integer :: i
  !$omp parallel
  !$omp do schedule(static)
  do i = 1, n
    a(i) = 0.5d0 * a(i)
  end do
  !$omp end do nowait
  !$omp do schedule(static)
  do i = 1, n
    b(i) = b(i) + 1.0d0
  end do
  !$omp end do
  ! expect: omp-costly-schedule high "about 2 ns of work" "dynamic,1"
  !$omp do schedule(monotonic: dynamic)
  do i = 1, n
    c(i) = a(i) + b(n + 1 - i)
  end do
  !$omp end do
  !$omp end parallel
end subroutine step

! They come one by one, and the early ones take more of the work.
subroutine late(a, c, n)
  implicit none
  integer, intent(in) :: n
  real(8), intent(inout) :: a(n), c(n)
  integer :: i
  !$omp parallel
  !$omp do schedule(static)
  do i = 1, n
    a(i) = 0.5d0 * a(i)
  end do
  !$omp end do nowait
  !$omp do schedule(dynamic)
  do i = 1, n
    c(i) = c(i) + 2.0d0
  end do
  !$omp end do
  !$omp end parallel
end subroutine late

! The thread that came last in the round before comes late.
subroutine rounds(a, c, n, count)
  implicit none
  integer, intent(in) :: n, count
  real(8), intent(inout) :: a(n), c(n)
  integer :: i, r
  !$omp parallel private(r)
  do r = 1, count
    !$omp do schedule(dynamic)
    do i = 1, n
      c(i) = c(i) + 2.0d0
    end do
    !$omp end do
    !$omp do schedule(static)
    do i = 1, n
      a(i) = 0.5d0 * a(i)
    end do
    !$omp end do nowait
  end do
  !$omp end parallel
end subroutine rounds
