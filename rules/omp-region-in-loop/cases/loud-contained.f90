! flags: -fopenmp
! A region in a procedure within a procedure: all code of it is where it is called.
subroutine outer(a, n)
  implicit none
  integer, intent(in) :: n
  real(8), intent(inout) :: a(n, n)
  call rows(a, n)
contains
  subroutine rows(a, n)
    integer, intent(in) :: n
    real(8), intent(inout) :: a(n, n)
    integer :: i, j
    do j = 1, n
      ! expect: omp-region-in-loop
      !$omp parallel do
      do i = 1, n
        a(i, j) = a(i, j) + 1.0d0
      end do
    end do
  end subroutine rows
end subroutine outer
