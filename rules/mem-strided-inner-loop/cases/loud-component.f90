! An allocatable component of a derived type, and a module's array.
module fields
  implicit none
  type chunk
    real(8), allocatable :: density(:, :), energy(:, :)
  end type chunk
  real(8), allocatable :: pressure(:, :)
contains
  subroutine ideal(part, low, high)
    type(chunk), intent(inout) :: part
    integer, intent(in) :: low, high
    integer :: j, k

    do j = low, high
      ! expect: mem-strided-inner-loop medium "8 bytes" "provided that a column is longer than a cache line"
      do k = low, high
        pressure(j, k) = 0.4d0 * part%density(j, k) * part%energy(j, k)
      end do
    end do
  end subroutine ideal
end module fields
