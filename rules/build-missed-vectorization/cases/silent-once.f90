! What runs once, is short, depends on itself, or walks the rows of a sparse matrix.
module rows
  implicit none
contains
  subroutine multiply(first, column, value, x, y, n)
    integer, intent(in) :: n, first(n + 1), column(:)
    real, intent(in) :: value(:), x(n)
    real, intent(out) :: y(n)
    real :: s
    integer :: i, k
    do i = 1, n
      s = 0.0
      do k = first(i), first(i + 1) - 1
        s = s + value(k) * x(column(k))
      end do
      y(i) = s
    end do
  end subroutine multiply

  real function corner(v)
    real, intent(in) :: v(8)
    integer :: i
    corner = 0.0
    do i = 1, 8
      corner = corner + v(i)
    end do
  end function corner
end module rows

program once
  use rows
  implicit none
  integer :: first(1001), column(1000), i, step
  real :: value(1000), x(1000), y(1000), s
  do i = 1, 1000
    first(i) = i
    column(i) = i
    value(i) = 2.0
    x(i) = i
  end do
  first(1001) = 1001
  do step = 1, 20
    call multiply(first, column, value, x, y, 1000)
    do i = 2, 1000
      x(i) = 0.5 * y(i) + 0.25 * x(i - 1)
    end do
    x(1) = corner(y(step:step + 7))
  end do
  s = 0.0
  do i = 1, 1000
    s = s + x(i)
  end do
  print *, s > 0.0
end program once
