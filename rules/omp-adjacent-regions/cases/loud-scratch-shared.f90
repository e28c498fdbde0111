! flags: -fopenmp
! The sum of the first loop is what the second one takes: no loop may go on before it is there.
subroutine normalise(a, n, sweeps)
  implicit none
  integer, intent(in) :: n, sweeps
  real(8), intent(inout) :: a(n)
  real(8) :: total
  integer :: i, s
  do s = 1, sweeps
    total = 0.0d0
    ! expect: omp-adjacent-regions medium "share each loop with '!$omp do'" "line 16"
    !$omp parallel do reduction(+:total)
    do i = 1, n
      total = total + a(i)
    end do
    !$omp parallel do
    do i = 1, n
      a(i) = a(i) - total
    end do
  end do
end subroutine normalise
