! flags: -fopenmp
! Teams within teams whose size is given, and one that is no inner team where the outer one is not opened.
subroutine add(field, n, few)
  implicit none
  integer, intent(in) :: n, few
  real(8), intent(inout) :: field(n, n)
  integer :: i, j
  !$omp parallel do private(i)
  do j = 1, n
    !$omp parallel do num_threads(few)
    do i = 1, n
      field(i, j) = field(i, j) + 1.0d0
    end do
    !$omp end parallel do
  end do
  !$omp end parallel do
  !$omp parallel do private(i) if(n < few)
  do j = 1, n
    !$omp parallel do
    do i = 1, n
      field(i, j) = field(i, j) + 1.0d0
    end do
    !$omp end parallel do
  end do
  !$omp end parallel do
end subroutine add
