program relax
  use fields
  implicit none
  integer :: step
  call fill
  call damp
  do step = 1, 100
    call advance
  end do
  call shape
  call cut
  print *, cube(1, 1, 1), block(1, 1, 1, 1), next(1, 2, 2)
end program relax
