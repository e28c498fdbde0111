! flags: -fopenmp
! A region for each component of the points, in each step.
subroutine correct(veloc, accel, mass, points, steps, dt)
  implicit none
  integer, intent(in) :: points, steps
  real(8), intent(inout) :: veloc(points, 3), accel(points, 3)
  real(8), intent(in) :: mass(points), dt
  integer :: step, part, p
  do step = 1, steps
    accel(1, 1) = accel(1, 1) + dt * step
    do part = 1, 3
      ! expect: omp-region-in-loop medium "one of 3 parts of the data" "around the loop at line 11"
      !$omp parallel do
      do p = 1, points
        accel(p, part) = accel(p, part) * mass(p)
        veloc(p, part) = veloc(p, part) + 0.5d0 * dt * accel(p, part)
      end do
      !$omp end parallel do
    end do
  end do
end subroutine correct
