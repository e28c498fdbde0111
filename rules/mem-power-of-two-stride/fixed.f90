! Turns an image by 90 degrees, again and again: the rows of the result are written, across columns of 1032 elements.
module images
  implicit none
  integer, parameter :: side = 1024, pitch = side + 8
  real(8) :: picture(pitch, side), turned(pitch, side)
contains
  subroutine turn()
    integer :: x, y

    do y = 1, side
      ! expect: mem-unblocked-transpose high "picture" "turned"
      do x = 1, side
        turned(side + 1 - y, x) = picture(x, y)
      end do
    end do
  end subroutine turn

  subroutine copy_back()
    integer :: x, y

    do y = 1, side
      do x = 1, side
        picture(x, y) = turned(x, y)
      end do
    end do
  end subroutine copy_back
end module images

program rotate
  use images
  implicit none
  integer :: x, y, step

  do y = 1, side
    do x = 1, side
      picture(x, y) = mod(x * 3 + y * 5, 11)
    end do
  end do
  do step = 1, 2
    call turn()
    call copy_back()
  end do
  print '(f8.1)', picture(3, 4)
end program rotate
