! flags: -fopenmp
! A program that asks for teams within teams.
subroutine add(field, n)
  use omp_lib
  implicit none
  integer, intent(in) :: n
  real(8), intent(inout) :: field(n, n)
  integer :: i, j
  call omp_set_max_active_levels(2)
  !$omp parallel do private(i)
  do j = 1, n
    !$omp parallel do
    do i = 1, n
      field(i, j) = field(i, j) + 1.0d0
    end do
    !$omp end parallel do
  end do
  !$omp end parallel do
end subroutine add
