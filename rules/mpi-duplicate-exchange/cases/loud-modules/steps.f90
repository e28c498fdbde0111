! What steps end or begin with.
module steps
  use halo
  implicit none
  integer, parameter :: nx = 64, ny = 64
  real(8), allocatable :: u(:, :), v(:, :), w(:, :)
contains
  subroutine velocity(dt)
    real(8), intent(in) :: dt
    integer :: i, j
    do j = 1, ny
      do i = 1, nx
        u(i, j) = u(i, j) + dt*w(i, j)
        v(i, j) = v(i, j) - dt*w(i, j)
      end do
    end do
    call fill(u, nx, ny)
    call fill(v, nx, ny)
  end subroutine velocity

  subroutine carry(dt)
    real(8), intent(in) :: dt
    integer :: i, j
    call fill(u, nx, ny)
    do j = 1, ny
      do i = 1, nx
        w(i, j) = w(i, j) - dt*(u(i, j) - u(i, j - 1))
      end do
    end do
  end subroutine carry

  subroutine rates(b)
    type(block_t), intent(inout) :: b
    integer :: i, j
    do j = 1, b%n
      do i = 1, 1024
        b%rate(i, j) = b%state(i, j) - b%state(i, j - 1)
      end do
    end do
  end subroutine rates

  subroutine update(b)
    type(block_t), intent(inout) :: b
    integer :: i, j
    do j = 1, b%n
      do i = 1, 1024
        b%state(i, j) = b%state(i, j) + 0.1d0*b%rate(i, j)
      end do
    end do
  end subroutine update
end module steps
