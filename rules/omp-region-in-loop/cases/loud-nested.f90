! flags: -fopenmp
! A team within a team has one thread, as long as nobody asks for more.
subroutine add(field, n)
  implicit none
  integer, intent(in) :: n
  real(8), intent(inout) :: field(n, n)
  integer :: i, j
  !$omp parallel do private(i)
  do j = 1, n
    ! expect: omp-region-in-loop medium "a part of a us each time"
    !$omp parallel do if(n > 1)
    do i = 1, n
      field(i, j) = field(i, j) + 1.0d0
    end do
    !$omp end parallel do
  end do
  !$omp end parallel do
end subroutine add
