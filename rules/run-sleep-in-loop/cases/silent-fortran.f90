! Loops that wait for a file, and that emulate work by a time that varies.
program wait_for_input
  implicit none
  real(8) :: x(1000)
  logical :: there
  integer :: k, step
  x = 1.0d0
  there = .false.
  do while (.not. there)
    call sleep(1)
    inquire (file='input.dat', exist=there)
  end do
  do step = 1, 20
    do k = 2, 1000
      x(k) = x(k) + 0.5d0 * x(k - 1)
    end do
    call sleep(mod(step, 3))
  end do
  print *, x(3)
end program wait_for_input
