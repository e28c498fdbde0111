! flags: -fopenmp
! The rows of a border are reflected: threads take the columns, of which each has one row or two.
subroutine reflect(x_min, x_max, y_max, depth, density)
  implicit none
  integer, intent(in) :: x_min, x_max, y_max, depth
  real(8), intent(inout) :: density(x_min - 2:x_max + 2, -1:y_max + 2)
  integer :: j, k
  !$omp parallel private(k)
  ! expect: omp-barrier-in-loop medium "implicit barrier is met each time"
  !$omp do
  do j = x_min - depth, x_max + depth
    ! expect: mem-strided-inner-loop low "inner loop over 'k'"
    do k = 1, depth
      density(j, 1 - k) = density(j, 0 + k)
    end do
  end do
  !$omp end do
  !$omp do
  do j = x_min - depth, x_max + depth
    ! expect: mem-strided-inner-loop low "inner loop over 'k'"
    do k = 1, depth
      density(j, y_max + k) = density(j, y_max + 1 - k)
    end do
  end do
  !$omp end do
  !$omp end parallel
end subroutine reflect
