! flags: -fopenmp
! An if clause that asks for long rows.
subroutine scale(out, in, n)
  implicit none
  integer, intent(in) :: n
  real(8), intent(out) :: out(n, n)
  real(8), intent(in) :: in(n, n)
  integer :: i, j
  do j = 1, n
    !$omp parallel do if(n .gt. 10000)
    do i = 1, n
      out(i, j) = 2.0d0 * in(i, j)
    end do
    !$omp end parallel do
  end do
end subroutine scale
