! A device works on the nest: its caches are others.
subroutine scale(out, in, n)
  implicit none
  integer, intent(in) :: n
  real(8), intent(out) :: out(n, n)
  real(8), intent(in) :: in(n, n)
  integer :: i, j

  !$omp target teams distribute parallel do private(j)
  do i = 1, n
    do j = 1, n
      out(i, j) = 2.0d0 * in(i, j)
    end do
  end do
  !$omp end target teams distribute parallel do
end subroutine scale
