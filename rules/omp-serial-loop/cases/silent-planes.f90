! flags: -fopenmp
! Two planes of a field by their own extents: as long as those, and no more than a rim.
module rims
  implicit none
contains
  subroutine finish(a, b)
    real(8), intent(inout) :: a(0:, :, :)
    real(8), intent(in) :: b(:, :)
    integer :: k
    do k = 1, size(a, 3)
      a(0, :, k) = b(:, k)
    end do
  end subroutine finish
  subroutine smooth(a, c)
    real(8), intent(inout) :: a(0:, :, :), c(0:, :, :)
    integer :: i, j, k
    !$omp parallel do private(i, j)
    do k = 1, size(a, 3)
      do j = 1, size(a, 2)
        do i = 1, size(a, 1) - 1
          c(i, j, k) = 0.5d0 * (a(i, j, k) + a(i - 1, j, k))
        end do
      end do
    end do
    !$omp parallel do private(i, j)
    do k = 1, size(a, 3)
      do j = 1, size(a, 2)
        do i = 1, size(a, 1) - 1
          a(i, j, k) = c(i, j, k)
        end do
      end do
    end do
  end subroutine smooth
end module rims

program planes
  use rims
  implicit none
  real(8), allocatable :: a(:, :, :), b(:, :), c(:, :, :)
  integer :: step
  allocate (a(0:100, 100, 100), b(100, 100), c(0:100, 100, 100))
  b = 1.0d0
  !$omp parallel do
  do step = 1, 100
    a(:, :, step) = 0.0d0
    c(:, :, step) = 0.0d0
  end do
  do step = 1, 10
    call finish(a, b)
    call smooth(a, c)
  end do
  print '(f12.8)', a(3, 3, 3)
end program planes
