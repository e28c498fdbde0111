! flags: -fopenmp
! What a procedure keeps from call to call, all threads that call it have in common.
module tally
  implicit none
  integer :: calls = 0, few = 0
  real(8) :: part, largest = 0
contains
  subroutine smooth(x, n)
    integer, intent(in) :: n
    real(8), intent(inout) :: x(n)
    integer, save :: i
    integer :: j = 0
    real(8) :: mean
    ! expect: omp-shared-counter high "the region at main.f90:9 update the same 'calls'" "hand back what it adds" no-fix
    calls = calls + 1
    ! expect: omp-shared-counter medium "set the same 'part'" "without 'save'"
    part = x(1) / n
    mean = 0
    ! expect: omp-shared-counter high "count with the same 'i'" "a variable of the call's own" no-fix
    do i = 1, n
      x(i) = x(i) + part
    end do
    ! expect: omp-shared-counter high "count with the same 'j'" "a value in its declaration"
    do j = 1, n
      mean = mean + x(j)
    end do
    ! expect: omp-shared-counter medium "update the same 'few'"
    if (mean < 0) few = few + 1
    call note(mean)
    x(1) = mean
  end subroutine smooth

  subroutine note(mean)
    real(8), intent(in) :: mean
    ! expect: omp-shared-counter medium "update the same 'largest'"
    if (mean > largest) largest = mean
  end subroutine note
end module tally
