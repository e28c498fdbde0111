! Rows of a field, scaled one after the other in each step by a procedure that takes them as they are.
module rows
  implicit none
contains
  subroutine scale(row, n, factor)
    integer, intent(in) :: n
    real(8), intent(inout) :: row(:)
    real(8), intent(in) :: factor
    integer :: i

    do i = 1, n
      row(i) = factor * row(i)
    end do
  end subroutine scale
end module rows

program field
  use rows
  implicit none
  integer, parameter :: height = 400, width = 300, steps = 50
  real(8), allocatable :: a(:, :)
  integer :: i, step

  allocate (a(height, width))
  do i = 1, width
    a(:, i) = i
  end do
  do step = 1, steps
    do i = 1, height
      call scale(a(i, :), width, 1.0d0 + 1.0d0 / (i + step))
    end do
    ! A column lies side by side.
    do i = 1, width
      call scale(a(:, i), height, 0.99d0)
    end do
  end do
  print '(2f12.6)', a(1, 1), a(height, width)
end program field
