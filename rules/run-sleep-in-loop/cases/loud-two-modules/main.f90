! The time loop is here, the sleep two calls away in the other file.
program main
  use output
  implicit none
  real(8) :: values(4096)
  integer :: step, k
  values = 1.0d0
  do step = 1, 400
    do k = 2, 4095
      values(k) = 0.99d0 * values(k) + 0.01d0 * values(k - 1)
    end do
    if (mod(step, 20) == 0) call store(values)
  end do
  print *, values(7)
end program main
