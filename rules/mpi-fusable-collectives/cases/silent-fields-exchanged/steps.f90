subroutine steps(u, v, w, nx, ny, count)
  use halo, only: advect, exchange
  implicit none
  integer, intent(in) :: nx, ny, count
  real(8), intent(inout) :: u(nx, 0:ny + 1), v(nx, 0:ny + 1), w(nx/2, 0:ny + 1)
  integer :: step, i, j
  call exchange(u, nx, ny)
  call exchange(v, nx, ny)
  do step = 1, count
    call exchange(u, nx, ny)
    do j = 1, ny
      do i = 1, nx
        v(i, j) = v(i, j) - 0.1d0 * (u(i, j + 1) - u(i, j - 1))
      end do
    end do
    call advect(u, nx, ny)
    call advect(v, nx, ny)
    call exchange(v, nx, ny)
    call exchange(w, nx/2, ny)
    do j = 1, ny
      do i = 1, nx/2
        u(i, j) = u(i, j) - 0.1d0 * (v(i, j + 1) - v(i, j - 1)) + w(i, j + 1) - w(i, j - 1)
        w(i, j) = 0.9d0 * w(i, j)
      end do
    end do
  end do
end subroutine steps
