! flags: -fopenmp
! Locks, atomic updates, elements that the data choose, loops of each thread, procedures that a team calls.
module deposits
  use omp_lib
  implicit none
  integer(omp_lock_kind) :: guard
contains
  subroutine deposit(charge, cell, rho, n, cells, total, top, low)
    integer, intent(in) :: n, cells, cell(n)
    real(8), intent(in) :: charge(n)
    real(8), intent(inout) :: rho(cells), total, top, low
    integer :: i

    !$omp parallel do
    do i = 1, n
      ! expect: omp-critical-section high "'rho(cell(i))'" "'!$omp atomic' instead of critical" fix
      !$omp critical
      rho(cell(i)) = rho(cell(i)) + charge(i)
      !$omp end critical
    end do

    !$omp parallel do schedule(static)
    do i = 1, n
      ! expect: omp-critical-section high "an atomic update" "reduction(+:total)" "delete the atomic construct" unsafe-fix
      !$omp atomic
      total = total - charge(i)
    end do

    !$omp parallel
    !$omp do
    do i = 1, n
      ! expect: omp-critical-section high "a lock" "'top' and 'low'" "reduction(max:top) reduction(min:low)" no-fix
      call omp_set_lock(guard)
      top = max(charge(i), top)
      low = min(low, charge(i))
      call omp_unset_lock(guard)
    end do
    !$omp end do
    !$omp end parallel

    !$omp parallel do
    do i = 1, n
      if (charge(i) > 0) then
        ! expect: omp-critical-section medium "a critical section" "reduction(+:total)" unsafe-fix
        !$omp critical (positive)
        total = charge(i) + total
        !$omp end critical (positive)
      end if
    end do
  end subroutine deposit

  subroutine share(charge, total, n)
    integer, intent(in) :: n
    real(8), intent(in) :: charge(n)
    real(8), intent(inout) :: total
    integer :: i
    !$omp do
    do i = 1, n
      ! expect: omp-critical-section medium "a critical section" "reduction(+:total)" no-fix
      !$omp critical (shared)
      total = total + charge(i)
      !$omp end critical (shared)
    end do
    !$omp end do
  end subroutine share
end module deposits
