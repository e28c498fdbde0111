! flags: -fopenmp
! What ends the serial loop ends loops that teams share in other procedures: a component of the grid's type, a module's variable.
module grids
  implicit none
  type :: grid
    integer :: nx, ny, nz
  end type grid
  integer :: low, high
contains
  subroutine fill(g, x)
    type(grid), intent(in) :: g
    real(8), intent(out) :: x(g%nx, g%ny, g%nz)
    integer :: k
    !$omp parallel do
    do k = 1, g%nz
      x(:, :, k) = 0
    end do
  end subroutine fill

  subroutine update(g, x, p, al)
    type(grid), intent(in) :: g
    real(8), intent(inout) :: x(g%nx, g%ny, g%nz)
    real(8), intent(in) :: p(g%nx, g%ny, g%nz), al
    integer :: i, k
    do k = 3, g%nz
      ! expect: omp-region-in-loop medium "in every iteration of the loop at line 25" "one row of the data" "share the loop at line 25 instead"
      !$omp parallel do
      do i = 1, g%nx
        x(i, 1, k) = x(i, 1, k) + al * p(i, 2, k)
      end do
    end do
  end subroutine update

  subroutine clear(x, n)
    integer, intent(in) :: n
    real(8), intent(out) :: x(n, n, 512)
    integer :: k
    !$omp parallel do
    do k = low, high
      x(:, :, k) = 0
    end do
  end subroutine clear

  subroutine scale(x, n)
    integer, intent(in) :: n
    real(8), intent(inout) :: x(n, n, 512)
    integer :: i, k
    do k = low + 2, high
      ! expect: omp-region-in-loop medium "in every iteration of the loop at line 48" "one row of the data" "share the loop at line 48 instead"
      !$omp parallel do
      do i = 2, n - 1
        x(i, 1, k) = 0.5d0 * x(i, 1, k)
      end do
    end do
  end subroutine scale
end module grids
