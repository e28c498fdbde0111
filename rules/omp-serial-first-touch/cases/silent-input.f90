! flags: -fopenmp
! What a file or another rank gives lies where the thread is that reads it.
subroutine load(n, steps)
  use mpi
  implicit none
  integer, intent(in) :: n, steps
  real(8), allocatable :: whole(:, :), rows(:, :), received(:, :), sums(:, :)
  real(8) :: value
  integer :: i, j, step, ierr
  allocate(whole(n, n), rows(n, n), received(n, n), sums(n, n))
  read (10) whole
  do j = 1, n
    do i = 1, n
      read (11, *) rows(i, j)
      rows(i, j) = 2.0d0 * abs(rows(j, i))
      read (12, *) value
      sums(i, j) = value
    end do
  end do
  call MPI_Recv(received, n * n, MPI_DOUBLE_PRECISION, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
  do j = 1, n
    do i = 1, n
      whole(i, j) = 0.0d0
      received(i, j) = 0.0d0
    end do
  end do
  do step = 1, steps
    !$omp parallel do private(i)
    do j = 1, n
      do i = 1, n
        whole(i, j) = whole(i, j) + rows(i, j) + received(i, j) + sums(i, j)
      end do
    end do
    !$omp end parallel do
  end do
  print *, whole(1, 1)
end subroutine load
