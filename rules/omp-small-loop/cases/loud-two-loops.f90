! flags: -fopenmp
! Two loops of a region are short together.
subroutine relax(a, b)
  implicit none
  real(8), intent(inout) :: a(40), b(40)
  integer :: i
  ! expect: omp-small-loop medium "its 2 loops are" "126"
  !$omp parallel
  ! expect: omp-barrier-in-loop medium "nowait" no-fix
  !$omp do
  do i = 1, 40
    a(i) = 0.5d0 * a(i)
  end do
  !$omp do
  do i = 1, 40
    b(i) = b(i) + a(i)
  end do
  !$omp end parallel
end subroutine relax
