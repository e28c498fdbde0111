! Columns that are copied and written back, and lines each of which begins with its neighbour's result.
module lines
  implicit none
  integer, parameter :: n = 512
  external :: transform
contains
  subroutine columns(a, count)
    integer, intent(in) :: count
    real(8), intent(inout) :: a(n, count)
    real(8) :: line(n)
    integer :: j
    do j = 1, count
      line(:) = a(:, j)
      call transform(line, n)
      a(:, j) = line(:) / n
    end do
  end subroutine columns

  subroutine march(a, rows)
    integer, intent(in) :: rows
    real(8), intent(inout) :: a(n, rows)
    real(8) :: line(rows)
    integer :: i, j
    do i = 2, n
      do j = 1, rows
        line(j) = a(i, j) + a(i - 1, j)
      end do
      call transform(line, rows)
      a(i, :) = line(:) / rows
    end do
  end subroutine march
end module lines
