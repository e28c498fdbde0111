! flags: -fopenmp
! No more iterations than a small array has elements, whatever the caller says.
module tallies
  implicit none
  integer :: tally(12), used
contains
  subroutine clear()
    integer :: k
    ! expect: omp-small-loop medium "(12 iterations)"
    !$omp parallel do
    do k = 1, used
      tally(k) = 0
    end do
    !$omp end parallel do
  end subroutine clear
end module tallies
