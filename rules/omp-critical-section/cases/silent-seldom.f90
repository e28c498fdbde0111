! flags: -fopenmp
! A test in front of the section that asks the same again, and one section beside a row of unknown length.
subroutine largest(u, old, found, nx, ny)
  implicit none
  integer, intent(in) :: nx, ny
  real(8), intent(in) :: u(nx, ny), old(nx, ny)
  real(8), intent(out) :: found
  real(8) :: e
  integer :: i, j
  found = 0.0d0
  !$omp parallel do private(i, j, e)
  do j = 1, ny
    do i = 1, nx
      e = abs(u(i, j) - old(i, j))
      if (e > found) then
        ! expect: omp-critical-section low "only to update 'found'"
        !$omp critical (top)
        if (e > found) found = e
        !$omp end critical (top)
      end if
    end do
  end do
  !$omp end parallel do
end subroutine largest

subroutine residual(u, res, most, nx, ny)
  implicit none
  integer, intent(in) :: nx, ny
  real(8), intent(in) :: u(nx, ny)
  real(8), intent(out) :: res(ny), most
  real(8) :: r
  integer :: i, j
  most = 0.0d0
  !$omp parallel do private(i, r)
  do j = 1, ny
    r = 0.0d0
    do i = 1, nx
      r = r + u(i, j)**2
    end do
    res(j) = r
    ! expect: omp-critical-section low "only to update 'most'"
    !$omp critical
    most = max(most, res(j))
    !$omp end critical
  end do
  !$omp end parallel do
end subroutine residual
