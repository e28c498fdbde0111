! flags: -fopenmp
! Components of records, allocated and filled in procedures of their own, as far as the first index that they have.
module tiles
  implicit none
  type tile_fields
    integer :: rows, first, last
    real(8), allocatable :: heat(:, :), flux(:, :)
  end type tile_fields
  type(tile_fields), allocatable :: tile(:)
contains
  subroutine build(count, rows, columns)
    integer, intent(in) :: count, rows, columns
    integer :: t
    allocate(tile(count))
    do t = 1, count
      tile(t)%rows = rows
      tile(t)%first = 1
      tile(t)%last = columns
      allocate(tile(t)%heat(0:rows + 1, 0:columns + 1), tile(t)%flux(0:rows + 1, 0:columns + 1))
      call fill(tile(t)%rows, tile(t)%first, tile(t)%last, tile(t)%heat)
      ! expect: omp-serial-first-touch medium "'flux'" "line 50" "in place of the array operation"
      tile(t)%flux(:, :) = 0.0d0
    end do
  end subroutine build

  subroutine fill(rows, first, last, heat)
    integer, intent(in) :: rows, first, last
    real(8), intent(out) :: heat(0:rows + 1, first - 1:last + 1)
    integer :: i, j
    ! expect: omp-serial-first-touch medium "'heat'" "line 50"
    do j = first - 1, last + 1
      do i = 0, rows + 1
        if (i + j > rows) then
          heat(i, j) = 300.0d0
        else
          heat(i, j) = 280.0d0
        end if
      end do
    end do
  end subroutine fill

  subroutine diffuse(steps)
    integer, intent(in) :: steps
    integer :: t, i, j, step
    do step = 1, steps
      do t = 1, size(tile)
        associate (columns => tile(t)%last)
          !$omp parallel private(i)
          !$omp do
          do j = 1, columns
            do i = 1, tile(t)%rows
              tile(t)%flux(i, j) = tile(t)%heat(i + 1, j) - tile(t)%heat(i, j)
            end do
          end do
          !$omp end do
          !$omp end parallel
        end associate
      end do
    end do
  end subroutine diffuse
end module tiles

program main
  use tiles
  implicit none
  call build(4, 1000, 1000)
  call diffuse(10)
end program main
