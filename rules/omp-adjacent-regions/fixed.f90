! flags: -fopenmp
! One team runs all steps; each thread keeps its particles, so that no barrier stands between the loops.
module particles
  implicit none
  integer, parameter :: n = 5000
  real(8) :: position(n), velocity(n), force(n), energy(n)
contains
  subroutine step(dt)
    real(8), intent(in) :: dt
    integer :: i
    !$omp do schedule(static)
    do i = 1, n
      velocity(i) = velocity(i) + dt * force(i)
    end do
    !$omp end do nowait
    !$omp do schedule(static)
    do i = 1, n
      position(i) = position(i) + dt * velocity(i)
    end do
    !$omp end do nowait
    !$omp do schedule(static)
    do i = 1, n
      energy(i) = 0.5d0 * velocity(i) * velocity(i)
    end do
    !$omp end do nowait
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
  !$omp parallel private(s)
  do s = 1, 100
    call step(0.125d0)
  end do
  !$omp end parallel
  print '(f14.6)', sum(energy) + sum(position)
end program move
