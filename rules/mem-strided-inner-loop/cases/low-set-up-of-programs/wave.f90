program wave
  use fields
  implicit none
  integer :: step
  call fill
  do step = 1, 100
    call advance
    call damp
  end do
  call shape
  call cut
  print *, cube(1, 1, 1), block(1, 1, 1, 1), next(1, 3, 3)
end program wave
