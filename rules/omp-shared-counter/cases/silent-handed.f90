! flags: -fopenmp
! An element of each iteration, a variable of each thread, a protected call, an argument that is read or protected, a
! result that nobody reads, and calls for one thread or iteration.
module state
  implicit none
contains
  subroutine largest_change(now, next, change)
    real(8), intent(in) :: now(:), next(:)
    real(8), intent(inout) :: change
    change = max(change, maxval(abs(next - now)))
  end subroutine largest_change

  subroutine read_only(x, limit)
    real(8), intent(inout) :: x
    real(8), intent(in) :: limit
    x = min(x, limit)
  end subroutine read_only

  subroutine one_by_one(x, total)
    real(8), intent(in) :: x
    real(8), intent(inout) :: total
    !$omp atomic
    total = total + x
  end subroutine one_by_one

  subroutine status(x, error)
    real(8), intent(in) :: x
    integer, intent(out) :: error
    error = 0
  end subroutine status
end module state

subroutine step(now, next, force, change, n, m, thread)
  use state
  implicit none
  integer, intent(in) :: n, m, thread
  real(8), intent(in) :: now(n, m), next(n, m)
  real(8), intent(inout) :: force(m), change(m)
  real(8) :: limit, difference, total, own
  integer :: k, error
  difference = 0
  limit = 1
  own = 0
  !$omp parallel do reduction(max: difference) private(own)
  do k = 1, m
    call largest_change(now(:, k), next(:, k), change(k))
    call largest_change(now(:, k), next(:, k), difference)
    call read_only(force(k), limit)
    call one_by_one(force(k), total)
    call status(force(k), error)
    own = 0
    call one_by_one(force(k), own)
    !$omp critical
    call largest_change(now(:, k), next(:, k), change(1))
    !$omp end critical
    if (k == 1) call largest_change(now(:, k), next(:, k), change(2))
    if (k /= thread) cycle
    call largest_change(now(:, k), next(:, k), change(3))
  end do
  !$omp end parallel do
end subroutine step
