! flags: -fopenmp
! Loops that are long, and loops whose iterations are.
subroutine step(a, b, n, steps)
  implicit none
  integer, intent(in) :: n, steps
  real(8), intent(inout) :: a(2000, 2000), b(n, n)
  integer :: i, j, s
  do s = 1, steps
    !$omp parallel do private(i)
    do j = 1, 2000
      do i = 1, 2000
        a(i, j) = 0.5d0 * a(i, j)
      end do
    end do
    !$omp parallel do private(i)
    do j = 1, n
      do i = 1, n
        b(i, j) = b(i, j) + 1.0d0
      end do
    end do
    !$omp parallel do private(i)
    do j = 1, n
      do i = 1, n
        b(i, j) = b(i, j) * 2.0d0
      end do
    end do
  end do
end subroutine step
