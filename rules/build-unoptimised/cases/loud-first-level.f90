! The first level of optimisation is none that vectorises.
! flags: -O1

! expect: build-unoptimised medium "with -O1 or -Og only: no loop is vectorised" "few loops"
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
