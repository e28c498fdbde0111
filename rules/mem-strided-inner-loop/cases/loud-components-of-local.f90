! Loops over the components of a point, whose number only the arrays that hold one point tell: they are part of it.
subroutine react(q, rates, nx, ny, nz, species)
  implicit none
  integer, parameter :: most = 8
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

! The levels of a column are a dimension, however short the array is that holds one.
subroutine mix(q, weights, nx, ny, levels)
  implicit none
  integer, parameter :: most = 8
  integer, intent(in) :: nx, ny, levels
  real(8), intent(inout) :: q(nx, ny, levels)
  real(8), intent(in) :: weights(most)
  real(8) :: y(most)
  integer :: i, j, k
  y = 2.0d0 * weights
  do j = 1, ny
    do i = 1, nx
      ! expect: mem-strided-inner-loop medium "over 'i' the step is 8 bytes"
      do k = 2, levels
        q(i, j, k) = q(i, j, k) * (y(k) - y(k - 1))
      end do
    end do
  end do
end subroutine mix
