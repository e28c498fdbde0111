! A second between the steps, by gfortran's own routine; the steps are in a module procedure.
module plates
  implicit none
contains
  subroutine advance(now, next)
    real(8), intent(inout) :: now(:), next(:)
    integer :: k
    do k = 2, size(now) - 1
      next(k) = 0.5d0 * (now(k - 1) + now(k + 1))
    end do
    now = next
  end subroutine advance
end module plates

program cool
  use plates
  implicit none
  real(8) :: now(1000), next(1000)
  integer :: step
  now = 1.0d0
  next = now
  do step = 1, 100
    call advance(now, next)
    ! expect: run-sleep-in-loop high "sleep stops each iteration of the loop 'step' for 1 s" "remove the call of sleep"
    call sleep(1)
  end do
  print *, now(5)
end program cool
