! flags: -fopenmp
! Chunks of columns go round among the threads: spread pages are all that helps.
subroutine relax(n, steps)
  implicit none
  integer, intent(in) :: n, steps
  real(8), allocatable :: heat(:, :)
  integer :: i, j, step
  ! expect: omp-serial-first-touch medium "'heat'" "only with schedule(static) at line 12, too"
  allocate(heat(n, n), source = 1.0d0)
  do step = 1, steps
    !$omp parallel do private(i) schedule(static, 1)
    do j = 2, n - 1
      do i = 1, n
        heat(i, j) = 0.5d0 * heat(i, j)
      end do
    end do
    !$omp end parallel do
  end do
  print *, heat(1, n / 2)
end subroutine relax
