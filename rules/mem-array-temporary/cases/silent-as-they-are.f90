! Arguments that are handed over as they are: columns, assumed shape, whole arrays, what pointers name, elements.
module takes
  implicit none
contains
  subroutine shaped(x)
    real(8), intent(inout) :: x(:)
    x = x + 1.0d0
  end subroutine shaped

  subroutine run(x, n)
    integer, intent(in) :: n
    real(8), intent(inout) :: x(n)
    x = x + 1.0d0
  end subroutine run
end module takes

subroutine advance(a, b, p, n, m, steps)
  use takes
  implicit none
  integer, intent(in) :: n, m, steps
  real(8), intent(inout) :: a(n, m), b(:, :)
  real(8), pointer, intent(in) :: p(:)
  integer :: i, step

  do step = 1, steps
    do i = 1, n
      call shaped(a(i, :))
      call run(a(1, i), n)
      call run(p, n)
    end do
    do i = 1, m
      call run(a(:, i), n)
      call run(a(2:n, i), n - 1)
      call run(b(:, i), n)
    end do
    call run(a, n * m)
  end do
end subroutine advance
