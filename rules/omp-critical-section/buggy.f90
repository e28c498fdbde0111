! flags: -fopenmp
! A distance statistic: every point queues for one lock to add its share.
program statistic
  implicit none
  integer, parameter :: points = 100000, bins = 64
  real(8) :: x(points), y(points), total, far, distance, mine, checked
  integer :: histogram(0:bins - 1), i, bin

  do i = 1, points
    x(i) = mod(i, 113)
    y(i) = mod(i, 57)
  end do
  total = 0
  far = 0
  checked = 0
  histogram = 0

  !$omp parallel do private(distance)
  do i = 1, points
    distance = x(i) * x(i) + y(i) * y(i)
    ! expect: omp-critical-section high "a critical section" "'total'" "reduction(+:total)" unsafe-fix
    !$omp critical (sums)
    total = total + distance
    !$omp end critical (sums)
  end do
  !$omp end parallel do

  !$omp parallel do private(distance)
  do i = 1, points
    distance = x(i) * x(i) + y(i) * y(i)
    ! expect: omp-critical-section high "a critical section" "'far'" "reduction(max:far)" unsafe-fix
    !$omp critical (farthest)
    if (distance > far) then
      far = distance
    end if
    !$omp end critical (farthest)
  end do
  !$omp end parallel do

  !$omp parallel do private(bin)
  do i = 1, points
    bin = mod(int(x(i) + y(i)), bins)
    ! expect: omp-critical-section high "a critical section" "'histogram(bin)'" "reduction(+:histogram)" fix
    !$omp critical (counts)
    histogram(bin) = histogram(bin) + 1
    !$omp end critical (counts)
  end do
  !$omp end parallel do

  ! Once per thread: this is how a sum made by hand ends.
  !$omp parallel private(mine)
  mine = 0
  !$omp do
  do i = 1, points
    mine = mine + x(i)
  end do
  !$omp end do
  !$omp critical (hand)
  checked = checked + mine
  !$omp end critical (hand)
  !$omp end parallel

  print '(2f14.0, i8, f14.0)', total, far, histogram(7), checked
end program statistic
