! flags: -fopenmp
! Of fields behind pointers nothing is known, but the barrier behind another one is needless whatever they are.
subroutine relax(a, b, n, m, steps)
  implicit none
  integer, intent(in) :: n, m, steps
  real(8), intent(inout), target :: a(n, m), b(n, m)
  real(8), pointer :: from(:, :), to(:, :)
  integer :: i, j, step
  from => a
  to => b
  do step = 1, steps
    !$omp parallel private(i)
    !$omp do
    do j = 2, m - 1
      do i = 2, n - 1
        to(i, j) = from(i, j - 1) + from(i, j + 1)
      end do
    end do
    !$omp end do
    ! expect: omp-barrier-in-loop high "stands beside another one" fix
    !$omp barrier
    !$omp do
    do j = 2, m - 1
      do i = 2, n - 1
        from(i, j) = to(i, j)
      end do
    end do
    !$omp end do
    !$omp end parallel
  end do
end subroutine relax
