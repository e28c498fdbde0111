! Directives are comments where the build has no OpenMP.
subroutine add(a)
  implicit none
  real(8), intent(inout) :: a(20)
  integer :: i
  !$omp parallel do
  do i = 1, 20
    a(i) = a(i) + 1.0d0
  end do
end subroutine add
