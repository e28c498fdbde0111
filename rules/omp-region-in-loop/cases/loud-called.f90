! flags: -fopenmp
! A procedure with a region of little work, which a loop of the file calls that does little else: no code needs to be
! inlined for that. What its team shares lives in the procedure.
recursive subroutine smooth(rim)
  implicit none
  real(8), intent(inout) :: rim(1000)
  real(8), save :: kept(1000)
  integer :: k
  ! expect: omp-region-in-loop medium "the local variables of 'smooth'" "about 3 us of work"
  !$omp parallel
  ! expect: omp-barrier-in-loop medium "nowait" no-fix
  !$omp do
  do k = 1, 1000
    kept(k) = 0.5d0 * rim(k) + 1.0d0
  end do
  !$omp do
  do k = 1, 1000
    rim(k) = kept(k)
  end do
  !$omp end parallel
  if (rim(1) < 0.0d0) call smooth(rim)
end subroutine smooth

program cool
  implicit none
  real(8) :: rim(1000)
  integer :: step
  rim = 1.0d0
  do step = 1, 2000
    call smooth(rim)
  end do
  print '(f12.4)', rim(1)
end program cool
