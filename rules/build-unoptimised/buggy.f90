! One smoothing sweep after the other over a signal: as compiled by a make that sets no level.
! flags: -O0
module signal
  implicit none
  integer, parameter :: points = 65536, sweeps = 200
contains
  subroutine smooth(from, to)
    real(8), intent(in) :: from(points)
    real(8), intent(inout) :: to(points)
    integer :: i

    do i = 2, points - 1
      to(i) = 0.25d0 * from(i - 1) + 0.5d0 * from(i) + 0.25d0 * from(i + 1)
    end do
  end subroutine smooth
end module signal

! expect: build-unoptimised high "every value of its loops goes through memory" "without optimisation"
program sweep_signal
  use signal
  implicit none
  real(8) :: now(points), next(points)
  integer :: i, sweep

  do i = 1, points
    now(i) = mod(i, 97)
  end do
  next = now
  do sweep = 1, sweeps, 2
    call smooth(now, next)
    call smooth(next, now)
  end do
  print '(f12.6)', sum(now) / points
end program sweep_signal
