! flags: -fopenmp -ffree-form
! The command says that the file is in free form, whatever its name is.
subroutine mark(marks, field, n)
  implicit none
  integer, intent(in) :: n
  integer, intent(out) :: marks(n)
  real(8), intent(in) :: field(n)
  integer :: whole, &
             i
!$omp parallel do
  do i = 1, n
    ! expect: omp-shared-counter high "set the same 'whole'" "private(whole)" no-fix
    whole = int(field(i) * 100)
    marks(i) = mod(whole, 10)
  end do
!$omp end parallel do
end subroutine mark
