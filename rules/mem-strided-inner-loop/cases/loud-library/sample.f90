program sample
  implicit none
  integer, parameter :: n = 700
  real(8) :: field(n, n)
  integer :: step
  field = 1.0d0
  do step = 1, 100
    call scale_all(field, n)
  end do
  print *, field(1, 1)
end program sample
