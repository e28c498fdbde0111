! Optimised, but each access is tested.
! flags: -O3 -fcheck=all

! expect: build-unoptimised medium "with tests of array bounds (-fcheck=all)" "without -fcheck=all"
program scale
  implicit none
  real(8) :: a(4096), b(4096)
  integer :: i, step
  call random_number(a)
  b = 0.0d0
  do step = 1, 100
    do i = 1, 4096
      b(i) = 0.5d0 * b(i) + a(i)
    end do
  end do
  print *, b(1) > 0.0d0
end program scale
