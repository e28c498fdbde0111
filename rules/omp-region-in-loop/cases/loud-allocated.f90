! flags: -fopenmp
! Rows of allocated arrays and of arrays of assumed shape, whose extents their allocation and `size` say.
module fields
  implicit none
  real(8), allocatable :: a(:, :), b(:, :)
  integer :: nx, ny
contains
  subroutine make()
    allocate(a(nx, ny), b(0:nx + 1, 0:ny + 1))
  end subroutine make

  subroutine scale()
    integer :: i, j
    do j = 1, ny
      ! expect: omp-region-in-loop medium "1 to 37 us each time" "one row of the data"
      !$omp parallel do
      do i = 1, nx
        a(i, j) = 2.0d0 * b(i, j)
      end do
      !$omp end parallel do
    end do
  end subroutine scale

  subroutine assumed(c)
    real(8), intent(inout) :: c(:, :)
    integer :: i, j
    do j = 1, size(c, 2)
      ! expect: omp-region-in-loop medium "1 to 37 us each time" "one row of the data"
      !$omp parallel do
      do i = 1, size(c, 1)
        c(i, j) = 2.0d0 * abs(c(i, j))
      end do
      !$omp end parallel do
    end do
  end subroutine assumed
end module fields
