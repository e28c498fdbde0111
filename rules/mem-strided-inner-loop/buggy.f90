! The first index of a Fortran array is the contiguous one; here the loops run the other way round.
module grids
  implicit none
contains
  subroutine blend(mixed, left, right, rows, columns)
    integer, intent(in) :: rows, columns
    real(8), intent(in) :: left(rows, columns), right(rows, columns)
    real(8), intent(out) :: mixed(rows, columns)
    integer :: row, column

    do row = 1, rows
      ! expect: mem-strided-inner-loop high "5600 bytes" "8 bytes"
      do column = 1, columns
        mixed(row, column) = 0.25d0 * left(row, column) + 0.75d0 * right(row, column)
      end do
    end do
  end subroutine blend
end module grids

program sweep
  use grids
  implicit none
  integer, parameter :: rows = 700, columns = 500
  real(8), allocatable :: mixed(:, :), left(:, :), right(:, :)

  allocate (mixed(rows, columns), left(rows, columns), right(rows, columns))
  left = 4.0d0
  right = 8.0d0
  call blend(mixed, left, right, rows, columns)
  print '(f8.3)', mixed(rows, columns)
end program sweep
