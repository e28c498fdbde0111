! flags: -fopenmp
! What a neighbour has written, other bounds and schedules, one thread's results, what is handed over, sums.
subroutine needed(a, b, n, m, steps, scale, total)
  implicit none
  integer, intent(in) :: n, m, steps
  real(8), intent(inout) :: a(n), b(n), scale, total
  real(8) :: own, last
  integer :: i, step
  !$omp parallel private(i, own)
  do step = 1, steps
    !$omp do schedule(static)
    do i = 2, n - 1
      b(i) = a(i - 1) + a(i + 1)
    end do
    !$omp end do
    !$omp do schedule(static)
    do i = 2, n - 1
      a(i) = b(i - 1) + b(i + 1)
    end do
    !$omp end do
  end do
  !$omp end parallel
  !$omp parallel private(i, own)
  do step = 1, steps
    !$omp do schedule(static)
    do i = 1, n
      b(i) = 2.0d0 * b(i)
    end do
    !$omp end do nowait
    !$omp barrier
    !$omp do schedule(static)
    do i = 1, m
      a(i) = a(i) + b(i)
    end do
    !$omp end do nowait
    !$omp barrier
  end do
  !$omp end parallel
  !$omp parallel private(i, own)
  do step = 1, steps
    ! expect: omp-costly-schedule medium "schedule(dynamic,100)" no-fix
    !$omp do schedule(dynamic, 100) ! in parts that nobody knows
    do i = 1, n
      b(i) = 2.0d0 * b(i)
    end do
    !$omp end do
    ! expect: omp-costly-schedule medium "schedule(dynamic,100)" no-fix
    !$omp do schedule(dynamic, 100) ! in parts that nobody knows
    do i = 1, n
      a(i) = a(i) + b(i)
    end do
    !$omp end do
  end do
  !$omp end parallel
  !$omp parallel private(i, own)
  do step = 1, steps
    !$omp single
    scale = 0.5d0 * scale
    !$omp end single
    !$omp do schedule(static)
    do i = 1, n
      a(i) = scale * a(i)
    end do
    !$omp end do
  end do
  !$omp end parallel
  !$omp parallel private(i, own)
  do step = 1, steps
    !$omp single
    own = a(step)
    !$omp end single copyprivate(own)
    !$omp do schedule(static)
    do i = 1, n
      b(i) = own + b(i)
    end do
    !$omp end do
  end do
  !$omp end parallel
  !$omp parallel private(i)
  do step = 1, steps
    !$omp do schedule(static) lastprivate(last)
    do i = 1, n
      last = b(i)
      b(i) = 2.0d0 * b(i)
    end do
    !$omp end do
    !$omp do schedule(static)
    do i = 1, n
      b(i) = b(i) + last
    end do
    !$omp end do nowait
  end do
  !$omp end parallel
  !$omp parallel private(i)
  do step = 1, steps
    !$omp do schedule(static)
    do i = 1, n
      b(i) = 2.0d0 * b(i)
    end do
    !$omp end do
    do i = 1, n
      if (b(i) > scale) own = b(i)
    end do
    !$omp barrier
    !$omp do schedule(static)
    do i = 1, n
      b(i) = b(i) + 1.0d0
    end do
    !$omp end do nowait
  end do
  !$omp end parallel
  !$omp parallel private(i, own)
  do step = 1, steps
    !$omp do schedule(static) reduction(+:total)
    do i = 1, n
      total = total + b(i)
    end do
    !$omp end do
    !$omp master
    scale = scale + total
    !$omp end master
    !$omp barrier
  end do
  !$omp end parallel
end subroutine needed
