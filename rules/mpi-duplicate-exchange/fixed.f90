! Columns go to both neighbours, and one of them goes twice.
! ranks: 2
program strip
  use mpi
  implicit none
  integer, parameter :: rows = 4096, columns = 64
  real(8) :: cells(rows, 0:columns + 1), total, part
  integer :: ierr, rank, ranks, left, right, step, i, j

  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
  left = mod(rank + ranks - 1, ranks)
  right = mod(rank + 1, ranks)
  do j = 0, columns + 1
    do i = 1, rows
      cells(i, j) = mod(rank * columns + j, 11) + 0.001d0 * i
    end do
  end do

  do step = 1, 20
    call MPI_Sendrecv(cells(1, 1), rows, MPI_DOUBLE_PRECISION, left, 0, cells(1, columns + 1), rows, &
                      MPI_DOUBLE_PRECISION, right, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
    call MPI_Sendrecv(cells(1, columns), rows, MPI_DOUBLE_PRECISION, right, 0, cells(1, 0), rows, &
                      MPI_DOUBLE_PRECISION, left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
    do j = 1, columns
      do i = 1, rows
        cells(i, j) = 0.5d0 * cells(i, j) + 0.25d0 * (cells(i, j - 1) + cells(i, j + 1))
      end do
    end do
  end do

  part = sum(cells(:, 1:columns))
  call MPI_Reduce(part, total, 1, MPI_DOUBLE_PRECISION, MPI_SUM, 0, MPI_COMM_WORLD, ierr)
  if (rank == 0) print '(f16.4)', total
  call MPI_Finalize(ierr)
end program strip
