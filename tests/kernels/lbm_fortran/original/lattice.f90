! Nine directions in each cell of a strip of the channel; the strips of all ranks lie one on the other along the second
! index. Rows and columns around the strip are those of neighbours and walls.
module lattice
  implicit none
  integer, parameter :: last = 8
  integer, parameter :: cx(0:last) = [0, 1, 0, -1, 0, 1, -1, -1, 1]
  integer, parameter :: cy(0:last) = [0, 0, 1, 0, -1, 1, 1, -1, -1]
  integer, parameter :: opposite(0:last) = [0, 3, 4, 1, 2, 7, 8, 5, 6]
  real(8), parameter :: weight(0:last) = [4d0 / 9, 1d0 / 9, 1d0 / 9, 1d0 / 9, 1d0 / 9, &
    1d0 / 36, 1d0 / 36, 1d0 / 36, 1d0 / 36]
  integer :: nx, ny, first_row ! of this rank; the row of the channel before its first one
  real(8), allocatable :: f(:, :, :), g(:, :, :)
  logical, allocatable :: solid(:, :)
contains
  subroutine create_lattice(width, height, rank, ranks)
    integer, intent(in) :: width, height, rank, ranks
    integer :: i, j, q
    nx = width
    first_row = height * rank / ranks
    ny = height * (rank + 1) / ranks - first_row
    allocate (f(0:last, 0:nx + 1, 0:ny + 1), g(0:last, 0:nx + 1, 0:ny + 1), solid(0:nx + 1, 0:ny + 1))
    ! expect: omp-serial-first-touch medium "initialise 'f' and 'g' in a loop under !$omp parallel do"
    do j = 0, ny + 1
      do i = 0, nx + 1
        solid(i, j) = is_solid(i, j + first_row, height)
        do q = 0, last
          f(q, i, j) = weight(q) * (1d0 + 3d0 * cx(q) * 0.08d0)
          g(q, i, j) = f(q, i, j)
        end do
      end do
    end do
  end subroutine create_lattice

  ! The walls of the channel, and a cylinder in it.
  pure logical function is_solid(i, row, height)
    integer, intent(in) :: i, row, height
    real(8) :: x, y
    x = i - 0.25d0 * height
    y = row - 0.52d0 * height
    is_solid = row < 1 .or. row > height .or. x * x + y * y < (0.12d0 * height)**2
  end function is_solid
end module lattice
