subroutine steps(u, v, h, nx, ny, count)
  use halo, only: exchange
  implicit none
  integer, intent(in) :: nx, ny, count
  real(8), intent(inout) :: u(nx, 0:ny + 1), v(nx, 0:ny + 1), h(nx, 0:ny + 1)
  integer :: step, i, j
  do step = 1, count
    ! expect: mpi-fusable-collectives medium "2 calls of exchange in a row" "as one message"
    call exchange(u, nx, ny)
    call exchange(v, nx, ny)
    do j = 1, ny
      do i = 1, nx
        h(i, j) = h(i, j) - 0.1d0 * (u(i, j + 1) - u(i, j - 1) + v(i, j + 1) - v(i, j - 1))
      end do
    end do
    call exchange(h, nx, ny)
    do j = 1, ny
      do i = 1, nx
        u(i, j) = u(i, j) - 0.1d0 * (h(i, j + 1) - h(i, j - 1))
        v(i, j) = v(i, j) + 0.1d0 * (h(i, j + 1) - h(i, j - 1))
      end do
    end do
  end do
end subroutine steps
