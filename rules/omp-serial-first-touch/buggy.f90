! flags: -fopenmp
! Three fields are filled by one thread, then used by the team: all their pages lie in that thread's memory.
module fields
  implicit none
  real(8), allocatable :: a(:, :), b(:, :), c(:, :)
contains
  subroutine triad(rows, columns)
    integer, intent(in) :: rows, columns
    integer :: i, j
    !$omp parallel do private(i) schedule(static)
    do j = 1, columns
      do i = 1, rows
        a(i, j) = b(i, j) + 3.0d0 * c(i, j)
      end do
    end do
    !$omp end parallel do
  end subroutine triad
end module fields

program main
  use fields
  implicit none
  integer, parameter :: rows = 1000, columns = 2000
  integer :: i, j, step
  allocate(a(rows, columns), b(rows, columns), c(rows, columns))
  ! expect: omp-serial-first-touch high "'a'" "line 11" "in place of the array operation"
  a = 0.0d0
  ! expect: omp-serial-first-touch high "'b' and 'c'" "line 11" "under !$omp parallel do"
  do j = 1, columns
    do i = 1, rows
      b(i, j) = mod(i + j, 10)
      c(i, j) = 2.0d0
    end do
  end do
  do step = 1, 40
    call triad(rows, columns)
  end do
  print '(f0.1)', sum(a)
end program main
