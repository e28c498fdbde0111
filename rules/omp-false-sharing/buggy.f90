! flags: -fopenmp
! Each thread adds up in its own element of a small array, and all these elements lie in one cache line.
module sums
  use omp_lib
  implicit none
  integer, parameter :: most_threads = 256, bins = 4
contains
  ! The sum of all samples, with one partial sum per thread.
  real(8) function total(samples, n)
    integer, intent(in) :: n
    real(8), intent(in) :: samples(n)
    real(8) :: partial(0:most_threads - 1)
    integer :: i, thread
    partial = 0.0d0
    !$omp parallel private(thread)
    thread = omp_get_thread_num()
    !$omp do
    do i = 1, n
      ! expect: omp-false-sharing high "neighbouring threads write 8 bytes apart" "'partial'" "a first index of 8 elements"
      partial(thread) = partial(thread) + samples(i)
    end do
    !$omp end do
    !$omp end parallel
    total = sum(partial)
  end function total

  ! How many samples fall into each quarter: a column of counts per thread, shorter than a line.
  subroutine count_quarters(samples, n, quarters)
    integer, intent(in) :: n
    real(8), intent(in) :: samples(n)
    integer, intent(out) :: quarters(bins)
    integer :: counts(bins, most_threads)
    integer :: i, quarter
    counts = 0
    !$omp parallel do private(quarter)
    do i = 1, n
      quarter = 1 + int(samples(i) * bins / (n + 1.0d0))
      ! expect: omp-false-sharing high "neighbouring threads write 16 bytes apart" "'counts'"
      counts(quarter, omp_get_thread_num() + 1) = counts(quarter, omp_get_thread_num() + 1) + 1
    end do
    !$omp end parallel do
    quarters = sum(counts, dim = 2)
  end subroutine count_quarters

  ! One iteration for each of the few powers.
  subroutine moments(samples, n, found)
    integer, intent(in) :: n
    real(8), intent(in) :: samples(n)
    real(8), intent(out) :: found(bins)
    integer :: i, power
    found = 0.0d0
    !$omp parallel do private(i)
    do power = 1, bins
      do i = 1, n
        ! expect: omp-false-sharing high "threads with neighbouring iterations" "'found'"
        found(power) = found(power) + samples(i)**power
      end do
    end do
    !$omp end parallel do
  end subroutine moments

  ! Neighbouring elements go to different threads.
  subroutine scale(samples, n, factor)
    integer, intent(in) :: n
    real(8), intent(inout) :: samples(n)
    real(8), intent(in) :: factor
    integer :: i
    !$omp parallel do schedule(static, 1)
    do i = 1, n
      ! expect: omp-false-sharing high "'samples'" "schedule(static) without a chunk size"
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
