! flags: -fopenmp
! What goes on from level to level, and planes of as many rows as there are planes.
subroutine integrate(u, rho, pressure, width, height, levels)
  implicit none
  integer, intent(in) :: width, height, levels
  real(8), intent(inout) :: u(width, height, levels)
  real(8), intent(in) :: rho(width, height, levels)
  real(8), intent(inout) :: pressure(width, height)
  integer :: i, j, k
  !$omp parallel do private(i, j)
  do k = 1, levels
    do j = 1, height
      do i = 1, width
        u(i, j, k) = 0.5d0 * u(i, j, k)
      end do
    end do
  end do
  !$omp end parallel do
  do k = 1, levels
    ! expect: omp-region-in-loop medium "one plane of the data" "open the region once, around the loop at line 19"
    !$omp parallel do private(i)
    do j = 1, height
      do i = 2, width - 1
        pressure(i, j) = pressure(i, j) + rho(i + 1, j, k) - rho(i - 1, j, k)
        u(i, j, k) = u(i, j, k) - pressure(i, j)
      end do
    end do
    !$omp end parallel do
  end do
end subroutine integrate

subroutine sweep(box, n)
  implicit none
  integer, intent(in) :: n
  real(8), intent(inout) :: box(n, n, n)
  integer :: i, j, k, pass
  do k = 1, n
    ! expect: omp-region-in-loop medium "one plane of the data" "share the loop at line 37 instead"
    !$omp parallel do private(i, pass)
    do j = 1, n
      do pass = 1, n
        do i = 2, n
          box(i, j, k) = box(i, j, k) + 0.5d0 * box(i - 1, j, k)
        end do
      end do
    end do
    !$omp end parallel do
  end do
end subroutine sweep
