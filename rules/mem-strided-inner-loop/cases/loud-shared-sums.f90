! flags: -fopenmp
! The team adds up what all iterations of both loops meet in: the clause does the same for the other loop.
subroutine relax(new, old, source, change, total, n)
  implicit none
  integer, intent(in) :: n
  real(8), intent(in) :: old(n, n), source(n, n)
  real(8), intent(inout) :: new(n, n)
  real(8), intent(out) :: change, total
  real(8) :: value
  integer :: i, j
  change = 0.0d0
  total = 0.0d0
  !$omp parallel do private(j, value) reduction(+:change, total)
  do i = 2, n - 1
    ! expect: mem-strided-inner-loop medium "8 bytes" "belongs to the loop over 'j'" "sums are then rounded"
    do j = 2, n - 1
      value = 0.25d0 * (old(i - 1, j) + old(i + 1, j) + old(i, j - 1) + old(i, j + 1)) + source(i, j)
      change = change + (value - old(i, j))**2
      total = total + value
      new(i, j) = value
    end do
  end do
  !$omp end parallel do
end subroutine relax

! The largest value, which a critical section guards.
subroutine heat(t, flow, hottest, n)
  implicit none
  integer, intent(in) :: n
  real(8), intent(inout) :: t(n, n)
  real(8), intent(in) :: flow(n, n)
  real(8), intent(out) :: hottest
  real(8) :: largest
  integer :: i, j
  largest = 0.0d0
  !$omp parallel do private(j)
  do i = 1, n
    ! expect: mem-strided-inner-loop medium "8 bytes" "belongs to the loop over 'j'"
    do j = 1, n
      t(i, j) = t(i, j) + flow(i, j)
      ! expect: omp-critical-section
      !$omp critical
      largest = max(largest, t(i, j))
      !$omp end critical
    end do
  end do
  !$omp end parallel do
  hottest = largest
end subroutine heat
