program main
  use kinds
  implicit none
  integer, parameter :: n = 20000
  type(droplet), allocatable :: drops(:)
  type(shared_droplet), allocatable :: both(:)
  type(zone), allocatable :: zones(:)
  integer :: i, step
  all%restart = .false.
  all%dt = 0.1d0
  all%quiet = .true.
  allocate(drops(n), both(n), zones(n))
  call fill(zones, n)
  do i = 1, n
    drops(i)%alive = .true.
    drops(i)%wet = .true.
    drops(i)%x = i
    drops(i)%v = 1
    drops(i)%cell = i
    both(i)%x = i
    both(i)%alive = .true.
  end do
  do step = 1, 10
    call move(drops, both, n, all%dt)
  end do
  print '(f10.3, l2)', drops(3)%x + both(3)%x, zones(2)%void
contains
  subroutine fill(zones, n)
    integer, intent(in) :: n
    type(zone), intent(out) :: zones(n)
    integer :: k
    do k = 1, n
      zones(k)%void = .false.
      zones(k)%density = 1
      zones(k)%solid = .true.
    end do
  end subroutine fill

  subroutine move(drops, both, n, dt)
    integer, intent(in) :: n
    real(8), intent(in) :: dt
    type(droplet), intent(inout) :: drops(n)
    type(shared_droplet), intent(inout) :: both(n)
    integer :: k
    do k = 1, n
      if (.not. drops(k)%alive) cycle
      drops(k)%x = drops(k)%x + dt * sum(drops(k)%v)
      drops(k)%cell = int(drops(k)%x)
      drops(k)%wet = drops(k)%cell < 100
      both(k)%x = both(k)%x + dt
      both(k)%wet = both(k)%alive
    end do
  end subroutine move
end program main
