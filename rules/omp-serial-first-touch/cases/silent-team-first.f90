! flags: -fopenmp
! A team, or one thread of it, is the first to write; or each thread has the array.
subroutine relax(n, steps)
  implicit none
  integer, intent(in) :: n, steps
  real(8), allocatable :: heat(:, :), flux(:, :), source(:, :)
  real(8) :: own(1024, 1024)
  integer :: i, j, step
  allocate(heat(n, n), flux(n, n), source(n, n))
  !$omp parallel private(i)
  ! expect: omp-barrier-in-loop medium "nowait" no-fix
  !$omp workshare
  heat = 0.0d0
  !$omp end workshare
  !$omp single
  flux = 0.0d0
  !$omp end single
  !$omp do
  do j = 1, n
    do i = 1, n
      source(i, j) = 1.0d0
    end do
  end do
  !$omp end do
  !$omp end parallel
  heat = 1.0d0
  flux = 1.0d0
  source = 2.0d0
  own = 1.0d0
  do step = 1, steps
    !$omp parallel do private(i, own)
    do j = 1, n
      own(:, mod(j, 1024) + 1) = 0.0d0
      do i = 1, n
        own(mod(i, 1024) + 1, mod(j, 1024) + 1) = 3.0d0
        heat(i, j) = heat(i, j) + flux(i, j) + source(i, j) + own(1, mod(j, 1024) + 1)
      end do
    end do
    !$omp end parallel do
  end do
  print *, heat(1, 1), own(1, 1)
end subroutine relax
