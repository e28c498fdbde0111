! The same where not all columns fill the scratch, and where what is left of it at the end is the caller's.
subroutine some(tr, kv, kmt, dt, nx, ny, nz)
  implicit none
  integer, intent(in) :: nx, ny, nz, kmt(nx, ny)
  real(8), intent(in) :: kv(nx, ny, nz), dt
  real(8), intent(inout) :: tr(nx, ny, nz)
  real(8) :: b(nz)
  integer :: i, j, k, kb
  b = 1.0d0
  do j = 1, ny
    do i = 1, nx
      kb = kmt(i, j)
      if (kb > 2) then
        do k = 1, kb
          b(k) = 1.0d0 + dt * kv(i, j, k) + tr(i, j, k)
        end do
      end if
      do k = 2, kb
        b(k) = b(k) - dt / b(k - 1)
      end do
      tr(i, j, 1) = b(1)
    end do
  end do
end subroutine some

subroutine given(tr, kv, kmt, b, dt, nx, ny, nz)
  implicit none
  integer, intent(in) :: nx, ny, nz, kmt(nx, ny)
  real(8), intent(in) :: kv(nx, ny, nz), dt
  real(8), intent(inout) :: tr(nx, ny, nz), b(nz)
  integer :: i, j, k, kb
  do j = 1, ny
    do i = 1, nx
      kb = kmt(i, j)
      if (kb < 2) cycle
      do k = 1, kb
        b(k) = 1.0d0 + dt * kv(i, j, k) + tr(i, j, k)
      end do
      do k = kb - 1, 1, -1
        b(k + 1) = tr(i, j, k + 1)
        tr(i, j, k) = b(k) - dt * b(k + 1)
      end do
    end do
  end do
end subroutine given
