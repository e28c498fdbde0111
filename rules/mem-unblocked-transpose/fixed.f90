! A picture of 1500 by 1200 points is turned: in tiles, whose lines stay in the cache until all of each is used.
module pictures
  implicit none
contains
  subroutine turn(picture, turned, width, height)
    integer, intent(in) :: width, height
    real(8), intent(in) :: picture(width, height)
    real(8), intent(out) :: turned(height, width)
    integer, parameter :: tile = 32
    integer :: x, y, first, left

    do left = 1, height, tile
      do first = 1, width, tile
        do x = first, min(first + tile - 1, width)
          do y = left, min(left + tile - 1, height)
            turned(y, x) = picture(x, y)
          end do
        end do
      end do
    end do
  end subroutine turn

  ! Both along their columns.
  subroutine brighten(picture, width, height)
    integer, intent(in) :: width, height
    real(8), intent(inout) :: picture(width, height)
    integer :: x, y

    do y = 1, height
      do x = 1, width
        picture(x, y) = min(1.0d0, 1.1d0 * picture(x, y))
      end do
    end do
  end subroutine brighten
end module pictures

program turning
  use pictures
  implicit none
  integer, parameter :: width = 1500, height = 1200
  real(8), allocatable :: picture(:, :), turned(:, :)
  integer :: x, y

  allocate (picture(width, height), turned(height, width))
  do y = 1, height
    do x = 1, width
      picture(x, y) = 1.0d0 / (x + 2 * y)
    end do
  end do
  call brighten(picture, width, height)
  call turn(picture, turned, width, height)
  print '(2f14.10)', turned(1, width), turned(height, 1)
end program turning
