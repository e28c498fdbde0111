program relax
  use fields
  implicit none
  integer :: step
  call fill
  call damp
  do step = 1, 100
    call advance
  end do
  print *, next(1, 2, 2)
end program relax
