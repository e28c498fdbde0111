! flags: -fopenmp
! Regions that hold nothing but shared loops; the second one uses what the first one wrote.
subroutine relax(a, b, n, sweeps)
  implicit none
  integer, intent(in) :: n, sweeps
  real(8), intent(inout) :: a(n), b(n)
  integer :: i, s
  do s = 1, sweeps
    ! expect: omp-adjacent-regions medium "line 23"
    !$omp parallel
    ! expect: omp-barrier-in-loop medium "nowait" no-fix
    !$omp do
    do i = 1, n
      a(i) = 0.5d0 * a(i)
    end do
    !$omp end do
    !$omp do
    do i = 1, n
      b(i) = b(i) + 1.0d0
    end do
    !$omp end do nowait
    !$omp end parallel
    !$omp parallel do
    do i = 1, n
      b(i) = b(i) + a(n + 1 - i)
    end do
  end do
end subroutine relax
