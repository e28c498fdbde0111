! flags: -fopenmp
! A region for each component of the points, in each step.
subroutine correct(veloc, accel, mass, points, steps, dt)
  implicit none
  integer, intent(in) :: points, steps
  real(8), intent(inout) :: veloc(3, points), accel(3, points)
  real(8), intent(in) :: mass(points), dt
  integer :: step, part, p
  do step = 1, steps
    accel(1, 1) = accel(1, 1) + dt * step
    do part = 1, 3
      ! expect: omp-region-in-loop medium "one of 3 parts of the data" "around the loop at line 11"
      !$omp parallel do
      do p = 1, points
        accel(part, p) = accel(part, p) * mass(p)
        veloc(part, p) = veloc(part, p) + 0.5d0 * dt * accel(part, p)
      end do
      !$omp end parallel do
    end do
  end do
end subroutine correct
