! Levels of a model, each of which the loop computes from the one above it: too many for a compiler to write out.
module levels
  implicit none
  integer, parameter :: nz = 32
  integer :: nx, ny
  real(8) :: grav
  real(8), allocatable :: p(:, :, :), rho(:, :, :), eta(:, :), dz(:)
contains
  subroutine pressure
    integer :: i, j, k

    do j = 0, ny + 1
      do i = 0, nx + 1
        p(i, j, 1) = grav*(eta(i, j) + 0.5d0*rho(i, j, 1)*dz(1))
        ! expect: mem-strided-inner-loop medium "inner loop over 'k'" "over 'i' the step is 8 bytes"
        do k = 2, nz
          p(i, j, k) = p(i, j, k - 1) + 0.5d0*grav*(rho(i, j, k - 1)*dz(k - 1) + rho(i, j, k)*dz(k))
        end do
      end do
    end do
  end subroutine pressure
end module levels
