! flags: -fopenmp
! A plate cools. The team is opened once for all steps, and shares the columns of the plate.
module plate
  implicit none
  integer, parameter :: rows = 600, columns = 200, rim_length = 1000
  real(8) :: now(rows, columns), next(rows, columns), rim(rim_length)
contains
  ! All threads of the team call it.
  subroutine sweep()
    integer :: i, j
    !$omp do
    do j = 2, columns - 1
      do i = 2, rows - 1
        next(i, j) = 0.25d0 * (now(i - 1, j) + now(i + 1, j) + now(i, j - 1) + now(i, j + 1))
      end do
    end do
    !$omp end do
    !$omp do
    do j = 2, columns - 1
      do i = 2, rows - 1
        now(i, j) = next(i, j)
      end do
    end do
    !$omp end do
  end subroutine sweep
end module plate

program cool
  use plate
  implicit none
  integer :: i, j, k, step
  do j = 1, columns
    do i = 1, rows
      now(i, j) = mod(i * j, 11)
    end do
  end do
  rim = 0.0d0
  !$omp parallel private(step)
  do step = 1, 20
    call sweep()
    !$omp do
    do k = 1, rim_length
      rim(k) = 0.5d0 * rim(k) + 0.5d0 * now(mod(k, rows) + 1, 2)
    end do
    !$omp end do
  end do
  !$omp end parallel
  print '(f14.6)', sum(now) + sum(rim)
end program cool
