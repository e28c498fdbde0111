program main
  use setup
  use steps
  implicit none
  integer, parameter :: n = 1000, m = 900
  real(8), allocatable :: field(:, :), next(:, :)
  integer :: step
  allocate(field(n, m), next(n, m))
  call fill(field, n, m)
  do step = 1, 100
    call advance(field, next, n, m)
    call damp(field, n, m)
  end do
  print *, next(10, 10)
end program main
