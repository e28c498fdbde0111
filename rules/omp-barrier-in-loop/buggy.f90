! flags: -fopenmp
! Heat spreads along a rod. The team already meets at the end of each shared loop, and then meets again.
program main
  implicit none
  integer, parameter :: cells = 4096
  real(8) :: now(cells), next(cells), age(cells)
  integer :: i, step
  do i = 1, cells
    now(i) = mod(i, 32)
    next(i) = now(i)
    age(i) = 0.0d0
  end do
  !$omp parallel private(i, step)
  do step = 1, 50
    !$omp do schedule(static)
    do i = 2, cells - 1
      next(i) = 0.25d0 * now(i - 1) + 0.5d0 * now(i) + 0.25d0 * now(i + 1)
    end do
    !$omp end do
    ! expect: omp-barrier-in-loop high "explicit barrier runs in every iteration of the loop at line 14" "delete it" fix
    !$omp barrier
    ! expect: omp-barrier-in-loop medium "implicit" "end the !$omp do of line 23 by !$omp end do nowait"
    !$omp do schedule(static)
    do i = 2, cells - 1
      now(i) = next(i)
    end do
    !$omp end do
    !$omp do schedule(static)
    do i = 1, cells
      age(i) = age(i) + 1.0d0
    end do
    !$omp end do
  end do
  !$omp end parallel
  print '(f0.6, 1x, f0.1)', dot_product(now, [(dble(i), i = 1, cells)]), sum(age)
end program main
