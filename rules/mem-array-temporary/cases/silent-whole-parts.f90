! Planes along the last dimension, whole columns and runs of elements lie side by side; components once in a run are no matter.
module cloud
  implicit none
  type :: particle
    real(8) :: x, y, v(3)
  end type particle
contains
  subroutine push(n, x, work)
    integer, intent(in) :: n
    real(8), intent(in) :: x(n)
    real(8), intent(inout) :: work(n)
    integer :: i
    do i = 1, n
      work(i) = work(i) + x(i)
    end do
  end subroutine push

  subroutine once(p, work)
    type(particle), intent(in) :: p(:)
    real(8), intent(inout) :: work(:)
    call push(size(p), p(:)%x, work)
  end subroutine once

  subroutine steps(field, work, nx, ny, nz)
    integer, intent(in) :: nx, ny, nz
    real(8), intent(inout) :: field(:, :, :), work(:)
    integer :: step, k
    do step = 1, 1000
      do k = 1, nz
        call push(nx * ny, field(:, :, k), work)
        call push(nx, field(:, 1, k), work)
        call push(nx - 2, field(2:nx - 1, 1, k), work)
      end do
    end do
  end subroutine steps
end module cloud
