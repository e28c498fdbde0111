module fields
  implicit none
  integer, parameter :: n = 700
  real(8) :: field(5, n, n), next(5, n, n), cube(200, 200, 200), block(50, 50, 50, 50)
contains
  ! Once in each of the programs.
  subroutine fill
    integer :: i, j
    do i = 1, n
      ! expect: mem-strided-inner-loop low "28000 bytes"
      do j = 1, n
        field(1, i, j) = i + 0.5d0 * j
      end do
    end do
  end subroutine fill

  ! Once, and a loop less deep than the work.
  subroutine shape
    integer :: i, j, k
    do i = 1, 200
      do j = 1, 200
        ! expect: mem-strided-inner-loop low "320000 bytes"
        do k = 1, 200
          cube(i, j, k) = i + 0.5d0 * j - k
        end do
      end do
    end do
  end subroutine shape

  ! Once, but as deep as the work.
  subroutine cut
    integer :: i, j, k, l
    do i = 1, 50
      do j = 1, 50
        do k = 1, 50
          ! expect: mem-strided-inner-loop high "1000000 bytes"
          do l = 1, 50
            block(i, j, k, l) = i + 0.5d0 * j - k * l
          end do
        end do
      end do
    end do
  end subroutine cut

  ! Once in one of them, in each step of the other.
  subroutine damp
    integer :: i, j
    do i = 1, n
      ! expect: mem-strided-inner-loop high "28000 bytes"
      do j = 1, n
        field(2, i, j) = 0.5d0 * field(2, i, j)
      end do
    end do
  end subroutine damp

  subroutine advance
    integer :: sweep, i, j
    do sweep = 1, 100
      do j = 2, n - 1
        do i = 2, n - 1
          next(1, i, j) = next(1, i, j) + field(1, i, j) - 0.25d0 * field(1, i + 1, j)
        end do
      end do
    end do
  end subroutine advance
end module fields
