! flags: -fopenmp
! Components, and rows of a border that is as thin as its caller says.
subroutine border(field, n, width)
  implicit none
  integer, intent(in) :: n, width
  real(8), intent(inout) :: field(n, -width:n + width)
  real(8) :: parts(2000, 3)
  common /shared/ parts
  integer :: i, j
  do j = 1, 3
    !$omp parallel do
    do i = 1, 2000
      parts(i, j) = 2.0d0 * parts(i, j)
    end do
    !$omp end parallel do
  end do
  do j = 1, width
    !$omp parallel do
    do i = 1, n
      field(i, 1 - j) = field(i, n + 1 - j)
    end do
    !$omp end parallel do
  end do
end subroutine border
