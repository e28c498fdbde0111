! The last level of a command counts: a debug flag behind the release flags undoes them.
! flags: -O3 -g -O0

! expect: build-unoptimised medium "every value of its loops goes through memory" "without optimisation"
program dot
  implicit none
  real(4) :: a(4096), b(4096)
  real(8) :: s
  integer :: i
  call random_number(a)
  b = 1.0
  s = 0.0d0
  do i = 1, 4096
    s = s + a(i) * b(i)
  end do
  print *, s > 0.0d0
end program dot
