! Particles of 96 bytes: the step that all of them take uses two of their twelve numbers.
module particles
  implicit none
  type particle
    real(8) :: x, y, z
    real(8) :: v(3)
    real(8) :: mass, charge, spin, energy
    integer :: kind, cell
    integer(8) :: id
  end type particle
contains
  subroutine drift(p, count, steps, dt)
    integer, intent(in) :: count, steps
    type(particle), intent(inout) :: p(count)
    real(8), intent(in) :: dt
    integer :: i, step

    do step = 1, steps
      ! expect: mem-array-of-structs high "uses 16 of the 96 bytes of each 'particle'" "keep x, v in arrays"
      do i = 1, count
        p(i)%x = p(i)%x + dt * p(i)%v(1)
      end do
    end do
  end subroutine drift
end module particles

program beam
  use particles
  implicit none
  integer, parameter :: count = 20000
  type(particle), allocatable :: p(:)
  integer :: i

  allocate (p(count))
  do i = 1, count
    p(i)%x = i
    p(i)%id = i
    p(i)%v(1) = 1.0d0 / i
  end do
  call drift(p, count, 100, 0.01d0)
  print '(2f14.6)', p(1)%x, p(count)%x
end program beam
