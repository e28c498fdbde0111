! flags: -fopenmp
! What all threads hand over to a procedure that updates or sets it.
module state
  implicit none
contains
  subroutine largest_change(now, next, change)
    real(8), intent(in) :: now(:), next(:)
    real(8), intent(inout) :: change
    change = max(change, maxval(abs(next - now)))
  end subroutine largest_change

  subroutine pressure(energy, density, p)
    real(8), intent(in) :: energy, density
    real(8), intent(out) :: p
    p = 0.4d0 * energy * density
  end subroutine pressure

  subroutine count_negative(x, number)
    real(8), intent(in) :: x
    integer, intent(inout) :: number
    if (x < 0) number = number + 1
  end subroutine count_negative
end module state

subroutine step(now, next, energy, density, force, change, n, m, thread)
  use state
  implicit none
  integer, intent(in) :: n, m, thread
  real(8), intent(in) :: now(n, m), next(n, m), energy(m), density(m)
  real(8), intent(inout) :: force(m), change(:)
  real(8) :: p, difference
  integer :: k, negative
  difference = 0
  negative = 0
  !$omp parallel do
  do k = 1, m
    if (density(k) == 0) cycle
    ! expect: omp-shared-counter high "update the same 'change(thread)'" "combine them after the loop" no-fix
    call largest_change(now(:, k), next(:, k), change(thread))
    ! expect: omp-shared-counter high "update the same 'difference'" "reduction(max:difference)"
    call largest_change(now(:, k), next(:, k), difference)
    ! expect: omp-shared-counter high "set the same 'p'" "private(p)"
    call pressure(energy(k), density(k), p)
    force(k) = p * force(k)
    ! expect: omp-shared-counter medium "update the same 'negative'" "reduction(+:negative)"
    call count_negative(force(k), negative)
  end do
  !$omp end parallel do
  change(1) = difference + negative
end subroutine step
