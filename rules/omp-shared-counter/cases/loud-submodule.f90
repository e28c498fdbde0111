! flags: -fopenmp
! A function of a submodule that keeps its scratch variable, since its declaration has a value.
module waves
  implicit none
  interface
    module subroutine descend(c, g, n, m)
      integer, intent(in) :: n, m
      real(8), intent(inout) :: c(n, m)
      real(8), intent(in) :: g(n)
    end subroutine descend
  end interface
end module waves

submodule (waves) steps
  implicit none
contains
  module subroutine descend(c, g, n, m)
    integer, intent(in) :: n, m
    real(8), intent(inout) :: c(n, m)
    real(8), intent(in) :: g(n)
    integer :: i, j
    !$omp parallel do private(i)
    do j = 1, m
      do i = 1, n
        c(i, j) = c(i, j) - damping(g(i))
      end do
    end do
  end subroutine descend

  real(8) function damping(square) result(p)
    real(8), intent(in) :: square
    real(8) :: x = 0
    ! expect: omp-shared-counter medium "set the same 'x'"
    x = 0.25d0 * square
    p = (27 + 18 * x + 12 * x**2) / (27 + 18 * x + 12 * x**2 + 8 * x**3)
  end function damping
end submodule steps
