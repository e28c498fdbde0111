! flags: -fopenmp
! Procedures of a submodule: its own, and those whose interfaces the module has.
submodule (bands) steps
  implicit none
contains
  function weight(g) result(w)
    real(8), intent(in) :: g
    real(8) :: w
    real(8) :: x = 0
    ! expect: omp-shared-counter medium "set the same 'x'" "without 'save'"
    x = 0.25d0 * g
    w = (27 + 18 * x) / (27 + 18 * x + 8 * x**3)
  end function weight

  module subroutine descend(c, g, n)
    integer, intent(in) :: n
    real(8), intent(inout) :: c(n)
    real(8), intent(in) :: g(n)
    integer :: i
    !$omp parallel do
    do i = 1, n
      c(i) = c(i) - weight(g(i)) * c(i)
      call count_all(1)
    end do
    !$omp end parallel do
  end subroutine descend

  module procedure count_all
    ! expect: omp-shared-counter high "update the same 'calls'"
    calls = calls + n
  end procedure count_all
end submodule steps
