! flags: -fopenmp
! Each column has a row of its own values, which the procedure keeps in one array.
module columns
  implicit none
  integer, parameter :: n = 600
contains
  subroutine profile(q, mu)
    real(8), intent(in) :: q(n, n)
    real(8), intent(inout) :: mu(n, n)
    real(8) :: om(n), greatest
    integer :: i, j
    ! expect: omp-serial-loop medium "private(greatest, om" unsafe-fix
    do i = 1, n
      greatest = 0.0d0
      do j = 2, n - 1
        om(j) = abs(q(j + 1, i) - q(j - 1, i))
      end do
      om(1) = om(2)
      do j = 1, n / 2
        greatest = max(greatest, om(j))
      end do
      do j = 1, n - 1
        mu(j, i) = greatest * om(j)
      end do
    end do
  end subroutine profile
end module columns

program profiles
  use columns
  implicit none
  real(8), allocatable :: q(:, :), mu(:, :)
  integer :: i, j, step
  allocate (q(n, n), mu(n, n))
  !$omp parallel do private(j)
  do i = 1, n
    do j = 1, n
      q(j, i) = 1.0d0 / (i + j)
      mu(j, i) = 0.0d0
    end do
  end do
  do step = 1, 10
    call profile(q, mu)
    !$omp parallel do private(j)
    do i = 1, n
      do j = 1, n
        q(j, i) = 0.9d0 * q(j, i) + mu(j, i)
      end do
    end do
  end do
  print '(f12.8)', q(3, 3)
end program profiles
