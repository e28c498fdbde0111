! flags: -fopenmp
! Each thread adds up in variables of its own.
module sums
  use omp_lib
  implicit none
  integer, parameter :: most_threads = 256, bins = 4
contains
  ! The sum of all samples, by a reduction.
  real(8) function total(samples, n)
    integer, intent(in) :: n
    real(8), intent(in) :: samples(n)
    real(8) :: partial
    integer :: i
    partial = 0.0d0
    !$omp parallel do reduction(+:partial)
    do i = 1, n
      partial = partial + samples(i)
    end do
    !$omp end parallel do
    total = partial
  end function total

  ! How many samples fall into each quarter: a column of counts per thread, a line long.
  subroutine count_quarters(samples, n, quarters)
    integer, intent(in) :: n
    real(8), intent(in) :: samples(n)
    integer, intent(out) :: quarters(bins)
    integer :: counts(16, most_threads)
    integer :: i, quarter
    counts = 0
    !$omp parallel do private(quarter)
    do i = 1, n
      quarter = 1 + int(samples(i) * bins / (n + 1.0d0))
      counts(quarter, omp_get_thread_num() + 1) = counts(quarter, omp_get_thread_num() + 1) + 1
    end do
    !$omp end parallel do
    quarters = sum(counts(1:bins, :), dim = 2)
  end subroutine count_quarters

  ! One iteration for each of the few powers.
  subroutine moments(samples, n, found)
    integer, intent(in) :: n
    real(8), intent(in) :: samples(n)
    real(8), intent(out) :: found(bins)
    real(8) :: mine
    integer :: i, power
    found = 0.0d0
    !$omp parallel do private(i, mine)
    do power = 1, bins
      mine = 0.0d0
      do i = 1, n
        mine = mine + samples(i)**power
      end do
      found(power) = mine
    end do
    !$omp end parallel do
  end subroutine moments

  ! Each thread has a block.
  subroutine scale(samples, n, factor)
    integer, intent(in) :: n
    real(8), intent(inout) :: samples(n)
    real(8), intent(in) :: factor
    integer :: i
    !$omp parallel do schedule(static)
    do i = 1, n
      samples(i) = factor * samples(i)
    end do
    !$omp end parallel do
  end subroutine scale
end module sums

program main
  use sums
  implicit none
  integer, parameter :: n = 1000000
  real(8), allocatable :: samples(:)
  real(8) :: found(bins)
  integer :: i, quarters(bins)
  allocate(samples(n))
  !$omp parallel do
  do i = 1, n
    samples(i) = n - i + 1
  end do
  !$omp end parallel do
  call count_quarters(samples, n, quarters)
  call scale(samples, n, 0.5d0)
  call moments(samples, n, found)
  print '(4(i0, 1x), f0.1, 1x, l1)', quarters, total(samples, n), abs(found(1) - total(samples, n)) < 1.0d0
end program main
