! Directives are comments where the build has no OpenMP.
subroutine add(a, n)
  implicit none
  integer, intent(in) :: n
  real(8), intent(inout) :: a(n)
  integer :: i
  !$omp parallel do schedule(dynamic)
  do i = 1, n
    a(i) = a(i) + 1.0d0
  end do
end subroutine add
