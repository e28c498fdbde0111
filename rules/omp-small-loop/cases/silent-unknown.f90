! flags: -fopenmp
! Calls beside the loop or in it, an if clause, a whole array in the region, a private variable that nobody sets.
subroutine various(a, b, n)
  implicit none
  integer, intent(in) :: n
  real(8), intent(inout) :: a(20), b(n)
  real(8) :: by
  integer :: i, step
  external :: work
  do step = 1, 100
    !$omp parallel
    !$omp do
    do i = 1, 20
      a(i) = a(i) + 1.0d0
    end do
    !$omp single
    call work(a)
    !$omp end single
    !$omp end parallel
    !$omp parallel do
    do i = 1, 20
      call work(a(i))
    end do
    !$omp parallel do if(step > 3)
    do i = 1, 20
      a(i) = a(i) + 1.0d0
    end do
    !$omp parallel
    ! expect: omp-barrier-in-loop medium "nowait" no-fix
    !$omp do
    do i = 1, 20
      a(i) = a(i) + 1.0d0
    end do
    !$omp single
    b = b + 1.0d0
    !$omp end single
    !$omp end parallel
    by = 2.0d0
    !$omp parallel do private(by)
    do i = 1, 20
      a(i) = a(i) + by
    end do
  end do
end subroutine various
