! Tests that are switched off again, and tests of other things.
! flags: -O3 -fcheck=all -fcheck=no-bounds -fcheck=mem
program scale
  implicit none
  real(8) :: a(4096)
  integer :: i
  call random_number(a)
  do i = 1, 4096
    a(i) = 0.5d0 * a(i)
  end do
  print *, a(1) > 0.0d0
end program scale
