! Overlap of two sets of functions sampled on the same points: one column per function.
module sets
  implicit none
contains
  subroutine overlap(bra, ket, out, functions, points)
    integer, intent(in) :: functions, points
    real(8), intent(in) :: bra(functions, points), ket(points, functions)
    real(8), intent(out) :: out(functions, functions)
    real(8) :: total
    integer :: i, j, p

    ! expect: mem-handwritten-matmul high "over 'p' steps a whole column through 'bra'" " of 'bra' and 'ket'" "matmul"
    do i = 1, functions
      do j = 1, functions
        total = 0.0d0
        do p = 1, points
          total = total + bra(i, p) * ket(p, j)
        end do
        out(i, j) = total
      end do
    end do
  end subroutine overlap

  ! Every point by the same small rotation: too short to be worth a call.
  subroutine rotate(place, turn, points)
    integer, intent(in) :: points
    real(8), intent(inout) :: place(3, points)
    real(8), intent(in) :: turn(3, 3)
    real(8) :: turned(3)
    integer :: p, row, column

    do p = 1, points
      turned = 0.0d0
      do column = 1, 3
        do row = 1, 3
          turned(row) = turned(row) + turn(row, column) * place(column, p)
        end do
      end do
      place(:, p) = turned
    end do
  end subroutine rotate
end module sets

program overlaps
  use sets
  implicit none
  integer, parameter :: functions = 300, points = 400
  real(8), allocatable :: bra(:, :), ket(:, :), out(:, :)
  real(8) :: place(3, 100), turn(3, 3)
  integer :: i, p

  allocate (bra(functions, points), ket(points, functions), out(functions, functions))
  do p = 1, points
    do i = 1, functions
      bra(i, p) = 1.0d0 / (i + p)
    end do
  end do
  ket = transpose(bra)
  call overlap(bra, ket, out, functions, points)
  place = 1.0d0
  turn = reshape([0.0d0, 1.0d0, 0.0d0, -1.0d0, 0.0d0, 0.0d0, 0.0d0, 0.0d0, 1.0d0], [3, 3])
  call rotate(place, turn, 100)
  print '(3f12.6)', out(1, 1), out(functions, functions), place(1, 1)
end program overlaps
