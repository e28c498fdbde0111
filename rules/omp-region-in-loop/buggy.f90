! flags: -fopenmp
! A plate cools. The team is opened for each row, and in each step for the rim.
module plate
  implicit none
  integer, parameter :: rows = 600, columns = 200, rim_length = 1000
  real(8) :: now(rows, columns), next(rows, columns), rim(rim_length)
contains
  subroutine sweep()
    integer :: i, j
    do j = 2, columns - 1
      ! expect: omp-region-in-loop high "1 to 37 us each time" "about 1 us of work"
      !$omp parallel do
      do i = 2, rows - 1
        next(i, j) = 0.25d0 * (now(i - 1, j) + now(i + 1, j) + now(i, j - 1) + now(i, j + 1))
      end do
      !$omp end parallel do
    end do
    !$omp parallel do private(i)
    do j = 2, columns - 1
      do i = 2, rows - 1
        now(i, j) = next(i, j)
      end do
    end do
    !$omp end parallel do
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
  do step = 1, 20
    call sweep()
    ! expect: omp-region-in-loop high "1 to 37 us each time" "about 4 us of work"
    !$omp parallel do
    do k = 1, rim_length
      rim(k) = 0.5d0 * rim(k) + 0.5d0 * now(mod(k, rows) + 1, 2)
    end do
    !$omp end parallel do
  end do
  print '(f14.6)', sum(now) + sum(rim)
end program cool
