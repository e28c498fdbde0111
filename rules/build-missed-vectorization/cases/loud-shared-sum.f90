! Sums that a team shares: each thread adds its part in a fixed order.
! flags: -fopenmp
module lattice
  implicit none
contains
  subroutine moments(density, total, n)
    integer, intent(in) :: n
    real, intent(in) :: density(n)
    real, intent(out) :: total
    integer :: i

    total = 0.0
    !$omp parallel do reduction(+:total)
    ! expect: build-missed-vectorization high "add 'simd' to the loop's directive"
    do i = 1, n
      total = total + density(i) * density(i)
    end do
  end subroutine moments
end module lattice

program steps
  use lattice
  implicit none
  real :: density(100000), total
  integer :: step
  density = 1.0
  do step = 1, 50
    call moments(density, total, size(density) - mod(step, 3))
    density(step) = total
  end do
  print *, total > 1.0
end program steps
