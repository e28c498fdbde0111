! Power iteration on a band matrix in single precision: the sum may be added up in any order, and the largest value is that
! of a function.
! flags: -fopenmp-simd
module band
  implicit none
contains
  real function norm(v, n)
    integer, intent(in) :: n
    real, intent(in) :: v(n)
    real :: total
    integer :: i

    total = 0.0
    !$omp simd reduction(+:total)
    do i = 1, n
      total = total + v(i) * v(i)
    end do
    norm = sqrt(total)
  end function norm

  subroutine largest(v, n, most)
    integer, intent(in) :: n
    real, intent(in) :: v(n)
    real, intent(out) :: most
    integer :: i

    most = 0.0
    do i = 1, n
      most = max(most, abs(v(i)))
    end do
  end subroutine largest

  ! Compilers have vector versions of the functions, and of max.
  subroutine soften(v, n, first)
    integer, intent(in) :: n
    real, intent(inout) :: v(n)
    real, intent(inout) :: first
    integer :: i

    do i = 1, n
      v(i) = exp(-v(i) * v(i))
      first = max(first, v(i))
    end do
  end subroutine soften

  ! One diagonal after another: nothing stands in the way.
  subroutine multiply(values, in, out, n, width)
    integer, intent(in) :: n, width
    real, intent(in) :: values(n, width), in(n)
    real, intent(out) :: out(n)
    integer :: d, i

    out = 0.0
    do d = 1, width
      do i = 1, n - d + 1
        out(i) = out(i) + values(i, d) * in(i + d - 1)
      end do
    end do
  end subroutine multiply

  ! Each element needs its left neighbour: no compiler can help.
  subroutine sweep(v, n)
    integer, intent(in) :: n
    real, intent(inout) :: v(n)
    integer :: i

    do i = 2, n
      v(i) = 0.5 * v(i) + 0.25 * v(i - 1)
    end do
  end subroutine sweep
end module band

program power
  use band
  implicit none
  integer, parameter :: rows = 20000, width = 5, steps = 40
  real, allocatable :: values(:, :), x(:), y(:)
  real :: most, total, first
  integer :: i, step

  allocate (values(rows, width), x(rows), y(rows))
  do i = 1, rows
    values(i, :) = 1.0 / (1 + mod(i, 9))
    x(i) = 1.0 + mod(i, 3)
  end do
  first = 0.0
  do step = 1, steps
    call multiply(values, x, y, rows, width)
    call soften(y, rows, first)
    call sweep(y, rows)
    call largest(y, rows, most)
    x = 1.0 + y / (norm(y, rows) + most)
  end do
  ! Runs once.
  total = 0.0
  do i = 1, rows
    total = total + x(i)
  end do
  print '(2f8.4)', total / rows, first
end program power
