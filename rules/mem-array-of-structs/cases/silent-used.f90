! Records that are used whole, that are small, that name arrays of their own, or that few of are, and an array
! inside of something else.
module types
  implicit none
  type point
    real(8) :: x, y, z, w
  end type point
  type pair
    real(4) :: left, right
  end type pair
  type block
    real(8), allocatable :: field(:, :)
    integer :: level, owner
    real(8) :: origin(3), width(3)
  end type block
  type cell
    real(8) :: density, energy, pressure, speed(3), old(4)
  end type cell
  type holder
    integer(8) :: count
    type(cell) :: list(4000)
  end type holder
  type(cell) :: few(100)
contains
  subroutine whole(p, n, steps)
    integer, intent(in) :: n, steps
    type(point), intent(inout) :: p(n)
    integer :: i, step
    do step = 1, steps
      do i = 1, n
        p(i)%x = p(i)%x + p(i)%y * p(i)%z - p(i)%w
      end do
    end do
  end subroutine whole

  subroutine small(p, n, steps)
    integer, intent(in) :: n, steps
    type(pair), intent(inout) :: p(n)
    integer :: i, step
    do step = 1, steps
      do i = 1, n
        p(i)%left = p(i)%left + 1.0
      end do
    end do
  end subroutine small

  subroutine blocks(b, n, steps)
    integer, intent(in) :: n, steps
    type(block), intent(inout) :: b(n)
    integer :: i, step
    do step = 1, steps
      do i = 1, n
        b(i)%field(1, 1) = step
        b(i)%origin(1) = b(i)%origin(1) + 1.0d0
      end do
    end do
  end subroutine blocks

  subroutine levels(b, n, steps)
    integer, intent(in) :: n, steps
    type(block), intent(inout) :: b(n)
    integer :: i, step
    do step = 1, steps
      do i = 1, n
        b(i)%width(2) = 0.5d0 * b(i)%width(2)
      end do
    end do
  end subroutine levels

  subroutine stay(steps)
    integer, intent(in) :: steps
    integer :: i, step
    do step = 1, steps
      do i = 1, 100
        few(i)%density = few(i)%density + 1.0d0
      end do
    end do
  end subroutine stay

  ! An array inside of something else, whose elements begin behind its address.
  subroutine inside(h, steps)
    integer, intent(in) :: steps
    type(holder), intent(inout) :: h
    integer :: i, step
    do step = 1, steps
      do i = 1, 4000
        h%list(i)%energy = h%list(i)%energy + 1.0d0
      end do
    end do
  end subroutine inside
end module types
