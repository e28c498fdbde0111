! flags: -fopenmp
! Calls, the clock, functions, an arm of a branch, atomic updates, and the code around the loop.
subroutine unknown(a, b, c, n, steps, seconds, first)
  use omp_lib
  implicit none
  integer, intent(in) :: n, steps, first
  real(8), intent(inout) :: a(n), b(n), c(n), seconds(steps)
  real(8), external :: weight
  integer :: i, step, count
  !$omp parallel private(i)
  do step = 1, steps
    call prepare(step)
    !$omp barrier
    !$omp do schedule(static)
    do i = 1, n
      a(i) = a(i) + 1.0d0
    end do
    !$omp end do
  end do
  !$omp end parallel
  !$omp parallel private(i)
  do step = 1, steps
    write (*, *) 'step'
    !$omp do schedule(static)
    do i = 1, n
      a(i) = a(i) + 1.0d0
    end do
    !$omp end do
  end do
  !$omp end parallel
  !$omp parallel private(i)
  do step = 1, steps
    !$omp barrier
    !$omp master
    seconds(step) = omp_get_wtime()
    !$omp end master
    !$omp do schedule(static)
    do i = 1, n
      a(i) = a(i) + 1.0d0
    end do
    !$omp end do
  end do
  !$omp end parallel
  !$omp parallel private(i)
  do step = 1, steps
    !$omp do schedule(static)
    do i = 1, n
      a(i) = weight(i)
    end do
    !$omp end do nowait
    !$omp barrier
  end do
  !$omp end parallel
  !$omp parallel private(i)
  do step = 1, steps
    if (step == first) then
      !$omp barrier
    end if
    !$omp do schedule(static)
    do i = 1, n
      b(i) = b(i) + 1.0d0
    end do
    !$omp end do
  end do
  !$omp end parallel
  !$omp parallel private(i)
  do step = 1, steps
    !$omp atomic
    count = count + 1
    !$omp barrier
    !$omp do schedule(static)
    do i = 1, n
      b(i) = b(i) + 1.0d0
    end do
    !$omp end do nowait
  end do
  !$omp end parallel
  !$omp parallel private(i)
  do step = 1, steps
    !$omp barrier
    !$ seconds(step) = omp_get_wtime()
    !$omp do schedule(static)
    do i = 1, n
      b(i) = b(i) + 1.0d0
    end do
    !$omp end do nowait
  end do
  !$omp end parallel
  ! what stands before the loop and behind it needs the only barrier
  !$omp parallel private(i)
  !$omp do schedule(static)
  do i = 1, n
    c(i) = a(i) + b(i)
  end do
  !$omp end do nowait
  do step = 1, steps
    !$omp barrier
    !$omp do schedule(static)
    do i = 2, n
      a(i) = a(i) + c(i - 1)
    end do
    !$omp end do nowait
  end do
  !$omp end parallel
  !$omp parallel private(i)
  do step = 1, steps
    !$omp do schedule(static)
    do i = 1, n
      c(i) = c(i) + 1.0d0
    end do
    !$omp end do
  end do
  !$omp do schedule(static)
  do i = 2, n
    a(i) = a(i) + c(i - 1)
  end do
  !$omp end do nowait
  !$omp end parallel
end subroutine unknown
