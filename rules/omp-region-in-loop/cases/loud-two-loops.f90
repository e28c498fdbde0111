! flags: -fopenmp
! A region that shares two loops, opened for each plane: their work counts together.
subroutine relax(now, next, nx, ny, planes)
  implicit none
  integer, intent(in) :: nx, ny, planes
  real(8), intent(inout) :: now(40, 30, 50), next(40, 30, 50)
  integer :: i, j, k
  do k = 1, 50
    ! expect: omp-region-in-loop high "share this loop with '!$omp do' in it" "about 5 us of work"
    !$omp parallel private(i, j)
    !$omp do
    do j = 2, 29
      do i = 2, 39
        next(i, j, k) = 0.25d0 * (now(i - 1, j, k) + now(i + 1, j, k) + now(i, j - 1, k) + now(i, j + 1, k))
      end do
    end do
    !$omp do
    do j = 2, 29
      do i = 2, 39
        now(i, j, k) = next(i, j, k)
      end do
    end do
    !$omp end parallel
  end do
end subroutine relax
