! flags: -fopenmp
! A step of three short updates opens three teams.
module particles
  implicit none
  integer, parameter :: n = 5000
  real(8) :: position(n), velocity(n), force(n), energy(n)
contains
  subroutine step(dt)
    real(8), intent(in) :: dt
    real(8) :: half
    integer :: i
    ! expect: omp-adjacent-regions high "under '!$omp single'" "lines 19 and 26", omp-region-in-loop medium
    !$omp parallel do
    do i = 1, n
      velocity(i) = velocity(i) + dt * force(i)
    end do
    !$omp end parallel do
    ! expect: omp-region-in-loop medium "1 to 37 us each time" "about 10 us of work"
    !$omp parallel do
    do i = 1, n
      position(i) = position(i) + dt * velocity(i)
    end do
    !$omp end parallel do
    half = 0.5d0
    ! expect: omp-region-in-loop medium "1 to 37 us each time" "about 8 us of work"
    !$omp parallel do
    do i = 1, n
      energy(i) = half * velocity(i) * velocity(i)
    end do
    !$omp end parallel do
  end subroutine step
end module particles

program move
  use particles
  implicit none
  integer :: i, s
  velocity = 0.0d0
  position = 0.0d0
  do i = 1, n
    force(i) = mod(i, 3) - 1
  end do
  do s = 1, 100
    call step(0.125d0)
  end do
  print '(f14.6)', sum(energy) + sum(position)
end program move
