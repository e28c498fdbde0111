! Columns of lengths that data say, none where there is nothing: rows of scratch are filled as far as they are read, in
! the columns that are.
subroutine diffuse(tr, kv, kmt, dt, nx, ny, nz)
  implicit none
  integer, intent(in) :: nx, ny, nz, kmt(nx, ny)
  real(8), intent(in) :: kv(nx, ny, nz), dt
  real(8), intent(inout) :: tr(nx, ny, nz)
  real(8) :: a(nz), b(nz)
  integer :: i, j, k, kb
  do j = 1, ny
    do i = 1, nx
      kb = kmt(i, j)
      if (kb < 2) cycle
      ! expect: mem-strided-inner-loop medium "copy 8 neighbouring lines, iterations of 'i' (line 11)"
      do k = 1, kb
        a(k) = 0.0d0
        if (k > 1) a(k) = dt * kv(i, j, k)
        b(k) = 1.0d0 + a(k) + tr(i, j, k)
      end do
      do k = 2, kb
        b(k) = b(k) - a(k) / b(k - 1)
      end do
      tr(i, j, kb) = b(kb)
      do k = kb - 1, 1, -1
        b(k + 1) = tr(i, j, k + 1)
        tr(i, j, k) = b(k) - a(k) * b(k + 1)
      end do
    end do
  end do
end subroutine diffuse
