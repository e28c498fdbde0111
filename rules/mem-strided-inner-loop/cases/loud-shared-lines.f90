! flags: -fopenmp
! A number that runs along each line: threads that divide the other loop would wait for each other, or miss it. The
! lines that they have can go side by side.
subroutine integrate(p, rho, n)
  implicit none
  integer, intent(in) :: n
  real(8), intent(out) :: p(n, n)
  real(8), intent(in) :: rho(n, n)
  real(8) :: above
  integer :: i, k
  !$omp parallel do private(k, above)
  do i = 1, n
    above = 0.0d0
    ! expect: mem-strided-inner-loop medium "iterations of 'i' (line 12), side by side" no-fix
    do k = 1, n
      above = above + rho(i, k)
      p(i, k) = above
    end do
  end do
  !$omp end parallel do
end subroutine integrate
