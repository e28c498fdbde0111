! flags: -fopenmp
! Counts of each thread in an allocated array, beside arrays of records that may be the same memory as far as the compiler knows.
module swarms
  implicit none
  type particle
    real(8) :: y
    integer :: marks(4)
  end type particle
  type swarm
    integer :: many
    type(particle), allocatable :: of(:)
  end type swarm
  integer, allocatable :: leaving(:)
contains
  subroutine mark(s, top)
    use omp_lib
    type(swarm), intent(inout) :: s
    real(8), intent(in) :: top
    integer :: me, n
    !$omp parallel private(me, n)
    me = omp_get_thread_num()
    leaving(me) = 0
    !$omp do
    do n = 1, s%many
      if (s%of(n)%y > top) then
        s%of(n)%marks(1) = 1
      else
        s%of(n)%marks(1) = 0
      end if
      ! expect: omp-false-sharing high "'leaving'" "4 bytes apart" "private in the region"
      leaving(me) = leaving(me) + s%of(n)%marks(1)
    end do
    !$omp end do
    !$omp end parallel
  end subroutine mark
end module swarms
