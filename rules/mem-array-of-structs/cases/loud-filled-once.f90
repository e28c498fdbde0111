! Low: nothing says that the loop runs more than once.
module types
  implicit none
  type cell
    real(8) :: density, energy, pressure, speed(3), old(4)
  end type cell
contains
  subroutine fill(c, n)
    integer, intent(in) :: n
    type(cell), intent(out) :: c(n)
    integer :: i
    ! expect: mem-array-of-structs low
    do i = 1, n
      c(i)%density = i
      c(i)%energy = 1.0d0
    end do
  end subroutine fill
end module types
