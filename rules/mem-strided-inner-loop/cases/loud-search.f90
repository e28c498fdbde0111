! Whether some element is out of bounds does not depend on the order in which they are looked at.
logical function too_fast(u, v, nx, ny, nz, limit)
  implicit none
  integer, intent(in) :: nx, ny, nz
  real(8), intent(in) :: u(nx, ny, nz), v(nx, ny, nz), limit
  integer :: i, j, k
  too_fast = .true.
  do i = 1, nx
    do j = 1, ny
      ! expect: mem-strided-inner-loop medium "over 'i' the step is 8 bytes" no-fix
      do k = 1, nz
        if (u(i, j, k)**2 + v(i, j, k)**2 > limit) return
      end do
    end do
  end do
  too_fast = .false.
end function too_fast
