! flags: -fopenmp
! Kept by each thread for itself, protected, set once, read before it is set, or of the call's own.
module tally
  implicit none
  integer :: calls = 0, serial = 0, singles = 0, started = 0, gone = 0
  real(8) :: part, factor, last
  !$omp threadprivate(part)
contains
  subroutine smooth(x, n)
    integer, intent(in) :: n
    real(8), intent(inout) :: x(n)
    logical, save :: first = .true.
    integer, save :: own = 0
    !$omp threadprivate(own)
    integer, save :: i
    integer :: k
    real(8) :: mean
    !$omp atomic
    calls = calls + 1
    part = x(1) / n
    own = own + 1
    factor = 0.5d0
    if (first) then
      factor = 2 * factor
      first = .false.
    end if
    x(1) = last
    last = x(2)
    !$omp single
    singles = singles + 1
    !$omp end single
    mean = 0
    do k = 1, n
      mean = mean + x(k) * part * factor
    end do
    !$omp do private(i)
    do i = 1, n
      x(i) = x(i) + mean
    end do
    !$omp end do
  end subroutine smooth

  subroutine outside(x)
    real(8), intent(inout) :: x(:)
    integer, save :: i
    serial = serial + 1
    do i = 1, size(x)
      x(i) = x(i) + 1
    end do
  end subroutine outside

  subroutine begin(x)
    real(8), intent(inout) :: x(:)
    integer, save :: i
    started = started + 1
    do i = 1, size(x)
      x(i) = x(i) + 1
    end do
  end subroutine begin

  subroutine one_by_one(x)
    real(8), intent(in) :: x(:)
    integer, save :: i
    gone = gone + 1
    do i = 1, size(x)
      if (x(i) < 0) gone = gone + 1
    end do
  end subroutine one_by_one

  subroutine for_one(x, thread)
    real(8), intent(in) :: x(:)
    integer, intent(in) :: thread
    integer, save :: i
    if (thread /= 0) return
    gone = gone + 1
    do i = 1, size(x)
      if (x(i) < 0) gone = gone + 1
    end do
  end subroutine for_one
end module tally
