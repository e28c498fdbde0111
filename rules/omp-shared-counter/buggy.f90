! flags: -fopenmp
! run-args: 1
! The mean distance of points from a middle: all threads add to one sum, and keep a distance in one variable.
module distances
  implicit none
  integer, parameter :: dimensions = 8
contains
  real(8) function spread(points, middle)
    integer, intent(in) :: points
    real(8), intent(in) :: middle(dimensions)
    real(8) :: total, distance
    integer :: p

    total = 0
    !$omp parallel do
    do p = 1, points
      ! expect: omp-shared-counter high "set the same 'distance'" "private(distance)" no-fix
      distance = sum((0.25d0 * p - middle)**2)
      ! expect: omp-shared-counter high "update the same 'total'" "reduction(+:total)" no-fix
      total = total + sqrt(distance)
    end do
    !$omp end parallel do
    spread = total / points
  end function spread
end module distances

program average
  use distances
  implicit none
  real(8) :: middle(dimensions) = [3, 1, 4, 1, 5, 9, 2, 6]
  character(len=12) :: argument
  integer :: points = 20000

  call get_command_argument(1, argument)
  if (argument /= '') read (argument, *) points
  print '(f12.3)', spread(points, middle)
end program average
