! flags: -fopenmp
! Every iteration does the same few operations, and is fetched one by one from a counter that all threads share.
program fetch
  implicit none
  integer, parameter :: n = 120000, rows = 600
  real(8) :: a(n), b(n), c(n), table(rows, rows)
  common /fields/ a, b, c, table
  integer :: i, j, step
  do i = 1, n
    a(i) = mod(i, 17)
    b(i) = mod(i, 5)
  end do
  table = 0.0d0

  do step = 1, 4
    ! expect: omp-costly-schedule high "about 2 ns of work" "dynamic,1" fix
    !$omp parallel do schedule(dynamic)
    do i = 1, n
      c(i) = a(i) + 0.5d0 * b(i)
    end do
    !$omp end parallel do

    !$omp parallel
    ! expect: omp-costly-schedule high "about 11 ns of work" "dynamic,4" fix
    !$omp do schedule(dynamic, 4)
    do i = 2, n - 1
      a(i) = 0.25d0 * (c(i - 1) + 2.0d0 * c(i) + c(i + 1))
    end do
    !$omp end do
    !$omp end parallel
  end do

  ! Chunks of a thousand iterations hide the cost of fetching them.
  !$omp parallel do schedule(dynamic, 4096)
  do i = 1, n
    b(i) = c(i) - a(i)
  end do
  !$omp end parallel do

  ! Columns of a triangle differ in length.
  !$omp parallel do schedule(dynamic, 4) private(i)
  do j = 1, rows
    do i = 1, j
      table(i, j) = a(i) * b(j)
    end do
  end do
  !$omp end parallel do
  print '(f20.6)', sum(table) + sum(c)
end program fetch
