! flags: -fopenmp
! The loop that calls the procedure does more than open its region: nobody knows how much, so that the finding is low.
recursive subroutine smooth(rim)
  implicit none
  real(8), intent(inout) :: rim(1000)
  integer :: k
  ! expect: omp-region-in-loop low "1 to 37 us each time" "about 1 us of work"
  !$omp parallel do
  do k = 1, 1000
    rim(k) = 0.5d0 * rim(k) + 1.0d0
  end do
  if (rim(1) < 0.0d0) call smooth(rim)
end subroutine smooth

subroutine run(rim, steps)
  implicit none
  integer, intent(in) :: steps
  real(8), intent(inout) :: rim(1000)
  integer :: step
  external :: solve
  do step = 1, steps
    call smooth(rim)
    call solve(rim)
  end do
end subroutine run
