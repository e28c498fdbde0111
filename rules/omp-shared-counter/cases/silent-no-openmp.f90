! The directives of a program that is compiled without OpenMP are comments.
subroutine add(a, n, total)
  implicit none
  integer, intent(in) :: n
  real(8), intent(in) :: a(n)
  real(8), intent(out) :: total
  integer :: i
  total = 0
  !$omp parallel do
  do i = 1, n
    total = total + a(i)
  end do
end subroutine add
