! Particles as arrays: the step that all of them take fetches what it uses.
module particles
  implicit none
  type particles_t
    real(8), allocatable :: x(:), y(:), z(:), v(:, :)
    real(8), allocatable :: mass(:), charge(:), spin(:), energy(:)
    integer(8), allocatable :: id(:)
  end type particles_t
contains
  subroutine drift(p, count, steps, dt)
    integer, intent(in) :: count, steps
    type(particles_t), intent(inout) :: p
    real(8), intent(in) :: dt
    integer :: i, step

    do step = 1, steps
      do i = 1, count
        p%x(i) = p%x(i) + dt * p%v(i, 1)
      end do
    end do
  end subroutine drift
end module particles

program beam
  use particles
  implicit none
  integer, parameter :: count = 20000
  type(particles_t) :: p
  integer :: i

  allocate (p%x(count), p%v(count, 3), p%id(count))
  do i = 1, count
    p%x(i) = i
    p%id(i) = i
    p%v(i, 1) = 1.0d0 / i
  end do
  call drift(p, count, 100, 0.01d0)
  print '(2f14.6)', p%x(1), p%x(count)
end program beam
