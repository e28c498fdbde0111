! flags: -fopenmp
! Threads share the first index, whose elements lie side by side: every page belongs to all of them.
subroutine relax(n, steps)
  implicit none
  integer, intent(in) :: n, steps
  real(8), allocatable :: heat(:, :), table(:, :)
  real(8) :: few(3, 64), flat(8, 16, 4000)
  integer :: i, j, k, step
  allocate(heat(n, n), table(n, n))
  heat = 0.0d0
  table = 1.0d0
  few = 0.0d0
  flat = 0.0d0
  do step = 1, steps
    !$omp parallel do private(j)
    do i = 1, n
      ! expect: mem-strided-inner-loop medium
      do j = 1, size(heat, 2)
        heat(i, j) = heat(i, j) + 1.0d0
      end do
    end do
    !$omp end parallel do
    ! each thread walks over the whole table
    !$omp parallel do private(i)
    do j = 1, 64
      do i = 1, 3
        few(i, j) = few(i, j) + sum(table(:, 1)) + table(i, 1)
      end do
    end do
    !$omp end parallel do
    ! a thread's part of each plane is less than a page
    do k = 1, 4000
      ! expect: omp-region-in-loop high "share the loop at line 32 instead" no-fix
      !$omp parallel do private(i)
      do j = 1, 16
        do i = 1, 8
          flat(i, j, k) = flat(i, j, k) + 1.0d0
        end do
      end do
      !$omp end parallel do
    end do
  end do
  print *, heat(1, 1), few(1, 1), flat(1, 1, 1)
end subroutine relax
