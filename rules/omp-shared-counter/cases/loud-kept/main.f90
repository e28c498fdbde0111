! flags: -fopenmp
program many
  use tally, only: smooth, calls
  implicit none
  real(8) :: x(100, 100)
  integer :: k
  x = 1
  do k = 1, 2
    !$omp parallel
    call all_columns(x)
    !$omp end parallel
  end do
  print '(i6, f8.3)', calls, x(1, 1)
contains
  subroutine all_columns(x)
    real(8), intent(inout) :: x(100, 100)
    integer :: column
    !$omp do
    do column = 1, 100
      call smooth(x(:, column), 100)
    end do
    !$omp end do
  end subroutine all_columns
end program many
