program run
  implicit none
  integer, parameter :: n = 700
  real(8) :: field(n, n), next(n, n), total
  integer :: step
  field = 1.0d0
  do step = 1, 100
    call advance(next, field, n)
    call damp(field, next, n)
    call shift(field, n)
  end do
  call add_up(total, field, n)
  print *, total
end program run
