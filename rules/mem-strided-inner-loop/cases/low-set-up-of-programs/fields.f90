module fields
  implicit none
  integer, parameter :: n = 700
  real(8) :: field(5, n, n), next(5, n, n), cube(200, 200, 200)
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

  ! Once, but nearly as deep as the work.
  subroutine shape
    integer :: i, j, k
    do i = 1, 200
      do j = 1, 200
        ! expect: mem-strided-inner-loop high "320000 bytes"
        do k = 1, 200
          cube(i, j, k) = i + 0.5d0 * j - k
        end do
      end do
    end do
  end subroutine shape

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
