! flags: -fopenmp
! What is counted also says where things are put: a sum of each thread's own would give all of them the same slots.
subroutine gather(a, n, list, found)
  implicit none
  integer, intent(in) :: n
  real(8), intent(in) :: a(n)
  integer, intent(out) :: list(n)
  integer, intent(out) :: found
  integer :: i
  found = 0
  !$omp parallel do
  do i = 1, n
    if (a(i) > 0) then
      ! expect: omp-shared-counter medium "update the same 'found'" "!$omp atomic capture"
      found = found + 1
      list(found) = i
    end if
  end do
  !$omp end parallel do
end subroutine gather

subroutine several(a, n, found)
  implicit none
  integer, intent(in) :: n
  real(8), intent(in) :: a(n)
  integer, intent(out) :: found
  integer :: i
  found = 0
  !$omp parallel do
  do i = 1, n
    ! expect: omp-shared-counter medium "add reduction(+:found) to the directive"
    if (a(i) > 0) found = found + 1
    if (a(i) > 1) found = found + 2
  end do
  !$omp end parallel do
end subroutine several
