! flags: -fopenmp
! Another type's component, and another procedure's own variable, of the same name.
module grids
  implicit none
  type :: grid
    integer :: nx, ny, nz
  end type grid
  type :: levels
    integer :: nz
  end type levels
contains
  subroutine fill(g, x, m)
    type(grid), intent(in) :: g
    integer, intent(in) :: m
    real(8), intent(out) :: x(g%nx, g%ny, g%nz)
    integer :: k
    !$omp parallel do
    do k = 1, g%nz
      x(:, :, k) = 0
    end do
    !$omp parallel do
    do k = 1, m
      x(:, :, k) = 1
    end do
  end subroutine fill

  subroutine update(g, l, x, m)
    type(grid), intent(in) :: g
    type(levels), intent(in) :: l
    integer, intent(in) :: m
    real(8), intent(inout) :: x(g%nx, g%ny, *)
    integer :: i, k
    do k = 3, l%nz
      !$omp parallel do
      do i = 1, g%nx
        x(i, 1, k) = 0.5d0 * x(i, 1, k)
      end do
    end do
    do k = 3, m
      !$omp parallel do
      do i = 1, g%nx
        x(i, 1, k) = 0.5d0 * x(i, 1, k)
      end do
    end do
  end subroutine update
end module grids
