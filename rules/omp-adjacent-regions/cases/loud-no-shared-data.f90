! flags: -fopenmp
! Two loops that write different arrays, by arguments, which Fortran keeps apart, and by pointers. A scratch variable of
! each thread is no shared data.
module relaxation
  implicit none
contains
  subroutine relax(a, b, c, n, sweeps)
    integer, intent(in) :: n, sweeps
    real(8), intent(inout) :: a(n), b(n)
    real(8), intent(in) :: c(n)
    real(8) :: t
    integer :: i, s
    do s = 1, sweeps
      ! expect: omp-adjacent-regions medium "line 21" "with nowait: they share no data"
      !$omp parallel do private(t)
      do i = 1, n
        t = a(i) * c(i)
        a(i) = t
      end do
      !$omp end parallel do
      !$omp parallel do private(t)
      do i = 1, n
        t = b(i) + c(i)
        b(i) = t
      end do
      !$omp end parallel do
    end do
  end subroutine relax
end module relaxation
