! flags: -fopenmp
program steps
  implicit none
  integer, parameter :: n = 40, number = 8
  real(8), allocatable :: fields(:, :, :, :), planes(:, :, :)
  real(8) :: buffer(4000)
  integer :: step
  allocate (fields(0:n + 1, 0:n + 1, 0:n + 1, number), planes(-1:102, -1:102, 2))
  fields = 1.0d0
  planes = 2.0d0
  do step = 1, 100
    call exchange(fields, n, n, n, number)
    call send(planes, buffer, 2)
  end do
  print '(2f8.3)', fields(0, 1, 1, 1), buffer(1)
end program steps
