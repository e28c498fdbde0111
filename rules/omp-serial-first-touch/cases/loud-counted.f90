! flags: -fopenmp
! A list of particles that one thread fills, element after element by a number that it counts up.
module cloud
  implicit none
  type particle
    real(8) :: x, y, u, v
  end type particle
contains
  subroutine scatter(p, cells, used)
    type(particle), allocatable, intent(inout) :: p(:)
    integer, intent(in) :: cells
    integer, intent(out) :: used
    integer :: i, j
    used = 0
    do i = 1, cells
      ! expect: omp-serial-first-touch medium "one thread is the first to write 'p'" "initialise 'p' with zeros in a loop of its own under !$omp parallel do before one thread fills it, with the same schedule(static)"
      do j = 1, cells
        if (mod(i + j, 3) == 0) then
          used = used + 1
          p(used)%x = i
          p(used)%y = j
          p(used)%u = 0.5d0
          p(used)%v = 0.0d0
        end if
      end do
    end do
  end subroutine scatter
end module cloud

program drift
  use cloud
  implicit none
  type(particle), allocatable :: p(:)
  integer :: step, k, n
  allocate(p(4000000))
  call scatter(p, 2000, n)
  do step = 1, 100
    !$omp parallel do
    do k = 1, n
      p(k)%x = p(k)%x + 0.1d0 * p(k)%u
      p(k)%y = p(k)%y + 0.1d0 * p(k)%v
    end do
    !$omp end parallel do
  end do
  print *, p(1)%x
end program drift
