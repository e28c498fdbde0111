! flags: -fopenmp -cpp
! The arm of a condition that is not compiled fills the array on one thread.
subroutine relax(n, steps)
  implicit none
  integer, intent(in) :: n, steps
  real(8), allocatable :: heat(:, :)
  integer :: i, j, step
  allocate(heat(n, n))
#ifdef SIMPLE
  heat = 0.0d0
#else
  !$omp parallel do private(i)
  do j = 1, n
    do i = 1, n
      heat(i, j) = 0.0d0
    end do
  end do
  !$omp end parallel do
#endif
  do step = 1, steps
    !$omp parallel do private(i)
    do j = 1, n
      do i = 1, n
        heat(i, j) = heat(i, j) + 1.0d0
      end do
    end do
    !$omp end parallel do
  end do
  print *, heat(1, 1)
end subroutine relax
