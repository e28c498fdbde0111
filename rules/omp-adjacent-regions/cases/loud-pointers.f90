! flags: -fopenmp
! Pointers may lead to one array.
subroutine relax(a, b, c, n, sweeps)
  implicit none
  integer, intent(in) :: n, sweeps
  real(8), pointer, contiguous, intent(in) :: a(:), b(:), c(:)
  integer :: i, s
  do s = 1, sweeps
    ! expect: omp-adjacent-regions medium "line 15" "with nowait if no two pointers"
    !$omp parallel do
    do i = 1, n
      a(i) = a(i) * c(i)
    end do
    !$omp end parallel do
    !$omp parallel do
    do i = 1, n
      b(i) = b(i) + c(i)
    end do
    !$omp end parallel do
  end do
end subroutine relax
