! Loops over the components of a point, whose number only the arrays that hold one point tell: they are part of it.
subroutine react(q, rates, nx, ny, nz, species)
  implicit none
  integer, parameter :: most = 9
  integer, intent(in) :: nx, ny, nz, species
  real(8), intent(in) :: q(nx, ny, nz, species)
  real(8), intent(inout) :: rates(nx, ny, nz, species)
  real(8) :: y(most)
  integer :: i, j, k, n
  do j = 1, ny
    do i = 1, nx
      ! expect: mem-strided-inner-loop medium "over 'i' the step is 8 bytes"
      do k = 1, nz
        do n = 1, species
          y(n) = q(i, j, k, n) / q(i, j, k, 1)
        end do
        do n = 1, species
          rates(i, j, k, n) = exp(-y(n)) * y(n)
        end do
      end do
    end do
  end do
end subroutine react
