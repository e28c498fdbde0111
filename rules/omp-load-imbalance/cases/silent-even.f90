! flags: -fopenmp
! A triangle dealt out in turn, a square, and blocks that the next loop rests on.
subroutine turns(a, n)
  implicit none
  integer, intent(in) :: n
  real(8), intent(inout) :: a(n, n)
  integer :: i, j
  !$omp parallel do private(i) schedule(static, 4)
  do j = 1, n
    do i = 1, j
      a(i, j) = 0.5d0 * a(i, j)
    end do
  end do
  !$omp end parallel do
  !$omp parallel do private(i)
  do j = 1, n
    do i = 1, n
      a(i, j) = a(i, j) + 1.0d0
    end do
  end do
  !$omp end parallel do
end subroutine turns

subroutine kept(a, b, n)
  implicit none
  integer, intent(in) :: n
  real(8), intent(inout) :: a(n, n), b(n)
  integer :: i, j
  !$omp parallel private(i)
  !$omp do schedule(static)
  do j = 1, n
    do i = 1, j
      a(i, j) = 0.5d0 * a(i, j)
    end do
  end do
  !$omp end do nowait
  !$omp do schedule(static)
  do j = 1, n
    b(j) = b(j) + a(1, j)
  end do
  !$omp end do
  !$omp end parallel
end subroutine kept
