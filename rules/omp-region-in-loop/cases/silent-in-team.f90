! flags: -fopenmp
! A team calls the procedure: the region has one thread, and where it is opened is no question of its loop. A device.
subroutine outer(a, n)
  implicit none
  integer, intent(in) :: n
  real(8), intent(inout) :: a(n, n)
  !$omp parallel
  call rows(a, n)
  !$omp end parallel
contains
  subroutine rows(a, n)
    integer, intent(in) :: n
    real(8), intent(inout) :: a(n, n)
    integer :: i, j
    do j = 1, n
      !$omp parallel do
      do i = 1, n
        a(i, j) = a(i, j) + 1.0d0
      end do
      !$omp target teams distribute parallel do
      do i = 1, n
        a(i, j) = a(i, j) + 1.0d0
      end do
    end do
  end subroutine rows
end subroutine outer
