! A level alone is enough, and other options with an O are none.
! flags: -O -fno-strict-aliasing -J.
program dot
  implicit none
  real(8) :: a(4096), s
  integer :: i
  call random_number(a)
  s = 0.0d0
  do i = 1, 4096
    s = s + a(i) * a(i)
  end do
  print *, s > 0.0d0
end program dot
