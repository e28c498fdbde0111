! flags: -fopenmp
! One number for each column beside the columns, a list of columns, small arrays, and storage that has several names.
subroutine relax(n, steps)
  implicit none
  integer, intent(in) :: n, steps
  integer, parameter :: side = 1000
  real(8), allocatable :: heat(:, :), weight(:)
  integer, allocatable :: list(:)
  real(8) :: small(10, 1000), shared(side, side), other(side * side)
  equivalence (shared, other)
  integer :: i, j, step
  allocate(heat(n, n), weight(n), list(n))
  do j = 1, n
    weight(j) = 1.0d0 / j
    list(j) = n + 1 - j
  end do
  small = 0.0d0
  do step = 1, steps
    !$omp parallel do private(i)
    do j = 1, n
      do i = 1, n
        heat(i, j) = weight(j) * i
      end do
    end do
    !$omp end parallel do
    !$omp parallel do
    do j = 1, n
      heat(1, list(j)) = 0.0d0
    end do
    !$omp end parallel do
    ! expect: omp-region-in-loop medium "in every iteration of the loop at line 18" no-fix
    !$omp parallel do private(i)
    do j = 1, side
      do i = 1, 10
        small(i, j) = small(i, j) + 1.0d0
      end do
    end do
    !$omp end parallel do
  end do
  !$omp parallel do private(i)
  do j = 1, side
    do i = 1, side
      shared(i, j) = 1.0d0
    end do
  end do
  !$omp end parallel do
  other = 0.0d0
  do step = 1, steps
    !$omp parallel do
    do j = 1, side * side
      other(j) = other(j) + 1.0d0
    end do
    !$omp end parallel do
  end do
  print *, heat(1, 1), small(1, 1), shared(1, 1)
end subroutine relax
