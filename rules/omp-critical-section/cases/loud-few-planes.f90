! flags: -fopenmp
! The team shares a few planes, but comes by the section in each cell of them.
module fields
  implicit none
  integer, parameter :: planes = 32
contains
  subroutine highest(a, rows, columns, top)
    integer, intent(in) :: rows, columns
    real(8), intent(in) :: a(rows, columns, planes)
    real(8), intent(out) :: top
    integer :: i, j, k
    top = 0.0d0
    !$omp parallel do private(i, j)
    do k = 1, planes
      do j = 1, columns
        do i = 1, rows
          ! expect: omp-critical-section high "only to update 'top'"
          !$omp critical
          if (a(i, j, k) > top) top = a(i, j, k)
          !$omp end critical
        end do
      end do
    end do
  end subroutine highest

  ! Once for each plane, of which there are few.
  subroutine lowest(a, rows, columns, bottom)
    integer, intent(in) :: rows, columns
    real(8), intent(in) :: a(rows, columns, planes)
    real(8), intent(out) :: bottom
    real(8) :: own
    integer :: k
    bottom = huge(bottom)
    !$omp parallel do private(own)
    do k = 1, planes
      own = minval(a(:, :, k))
      ! expect: omp-critical-section low "only to update 'bottom'"
      !$omp critical (low)
      if (own < bottom) bottom = own
      !$omp end critical (low)
    end do
  end subroutine lowest
end module fields
