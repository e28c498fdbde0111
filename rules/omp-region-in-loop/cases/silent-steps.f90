! flags: -fopenmp
! A region for each step, with work for it: two loops that are long enough together.
subroutine run(now, next)
  implicit none
  real(8), intent(inout) :: now(200, 200), next(200, 200)
  integer :: i, j, step
  do step = 1, 100
    !$omp parallel private(i)
    !$omp do
    do j = 2, 199
      do i = 2, 199
        next(i, j) = 0.25d0 * (now(i - 1, j) + now(i + 1, j) + now(i, j - 1) + now(i, j + 1))
      end do
    end do
    !$omp do
    do j = 2, 199
      do i = 2, 199
        now(i, j) = next(i, j)
      end do
    end do
    !$omp end parallel
  end do
end subroutine run
