! Assumed shape, a module's allocatable array and a component; loops that a caller runs in each step.
module stars
  implicit none
  type star
    real(8) :: place(3), speed(3), pull(3), mass, age, light, heat(4)
  end type star
  type cluster
    integer :: members
    type(star), allocatable :: list(:)
  end type cluster
  type(star), allocatable :: sky(:)
contains
  subroutine weigh(s, total)
    type(star), intent(in) :: s(:)
    real(8), intent(inout) :: total
    integer :: i
    ! expect: mem-array-of-structs high "uses 8 of the 128 bytes of each 'star'" "keep mass in arrays of their own"
    do i = 1, size(s)
      total = total + s(i)%mass
    end do
  end subroutine weigh

  subroutine shine(c, total)
    type(cluster), intent(in) :: c
    real(8), intent(inout) :: total
    integer :: i
    do i = 1, c%members
      total = total + c%list(i)%mass * c%list(i)%light
    end do
  end subroutine shine

  subroutine look(total)
    real(8), intent(inout) :: total
    integer :: i
    do i = 1, size(sky)
      total = total + sky(i)%mass
    end do
  end subroutine look
end module stars

subroutine run(c, s, totals, steps)
  use stars
  implicit none
  integer, intent(in) :: steps
  type(cluster), intent(in) :: c
  type(star), intent(in) :: s(:)
  real(8), intent(inout) :: totals(steps)
  integer :: step
  do step = 1, steps
    call weigh(s, totals(step))
    call shine(c, totals(step))
    call look(totals(step))
  end do
end subroutine run
