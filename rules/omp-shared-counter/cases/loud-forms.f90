! flags: -fopenmp
! Regions of several loops, extremes, sums that each iteration begins anew, conditions, variables of the module.
module state
  implicit none
  integer :: hits
  real(8), save :: largest
contains
  subroutine scan(a, b, n, m)
    integer, intent(in) :: n, m
    real(8), intent(in) :: a(m, n)
    real(8), intent(out) :: b(n)
    real(8) :: row, scale
    logical :: any_negative
    integer :: i, j

    any_negative = .false.
    !$omp parallel default(shared) private(i, &
    !$omp                                  j)
    !$omp do
    do i = 1, n
      row = 0
      do j = 1, m
        ! expect: omp-shared-counter high "update the same 'row'" "private(row)" no-fix
        row = row + a(j, i)
      end do
      b(i) = row
      if (row > 1) then
        ! expect: omp-shared-counter medium "update the same 'hits'" no-fix
        hits = hits + 1
      end if
    end do
    !$omp end do nowait
    !$omp do schedule(static)
    do i = 1, n
      ! expect: omp-shared-counter high "update the same 'largest'" "reduction(max:largest)" no-fix
      largest = max(largest, a(1, i))
      ! expect: omp-shared-counter high "update the same 'any_negative'" "reduction(.or.:any_negative)" no-fix
      any_negative = any_negative .or. a(1, i) < 0
    end do
    !$omp end do
    !$omp end parallel

    scale = 0
    !$omp parallel do shared(scale)
    do i = 1, n
      ! expect: omp-shared-counter high "update the same 'scale'" "reduction(max:scale)" no-fix
      if (b(i) > scale) scale = b(i)
    end do
    if (any_negative) print *, scale
  end subroutine scan
end module state
