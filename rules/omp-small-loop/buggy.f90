! flags: -fopenmp
! A team is opened for the nine weights of a lattice, in every step, and for three moments.
module lattice
  implicit none
  integer, parameter :: weights = 9, cells = 40000
  real(8) :: weight(weights), cell(cells)
contains
  subroutine renew(by)
    real(8), intent(in) :: by
    integer :: k
    ! expect: omp-small-loop high "(9 iterations)"
    !$omp parallel do
    do k = 1, weights
      weight(k) = k * by
    end do
    !$omp end parallel do
  end subroutine renew
end module lattice

program run
  use lattice
  implicit none
  real(8) :: moment(3)
  integer :: c, d, k, step
  moment = 0.0d0
  cell = 0.0d0
  do step = 0, 199
    call renew(1.0d0 + mod(step, 7))
    ! expect: omp-small-loop high "(3 iterations)"
    !$omp parallel do
    do d = 1, 3
      moment(d) = 0.5d0 * moment(d) + weight(d)
    end do
    !$omp end parallel do
    !$omp parallel do private(k)
    do c = 1, cells
      do k = 1, weights
        cell(c) = cell(c) + weight(k) * moment(mod(k, 3) + 1)
      end do
    end do
    !$omp end parallel do
  end do
  print '(f18.3)', sum(cell)
end program run
