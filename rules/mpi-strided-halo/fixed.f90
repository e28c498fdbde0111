! Heat on a plate. In Fortran the first index is the contiguous one: cut across it, each border is a row that is gathered
! cell by cell; cut across the second one, it is a column that is sent as it lies.
! ranks: 2
program heat
  use mpi
  implicit none
  integer, parameter :: height = 4096, width = 128
  real(8) :: cells(height, 0:width + 1), later(height, 0:width + 1)
  real(8) :: part, total
  integer :: ierr, rank, ranks, before, behind, step, x, y

  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
  before = MPI_PROC_NULL
  behind = MPI_PROC_NULL
  if (rank > 0) before = rank - 1
  if (rank < ranks - 1) behind = rank + 1
  cells = 0.0d0
  later = 0.0d0
  do x = 1, width
    do y = 1, height
      cells(y, x) = mod(rank * width + x + 13 * y, 64)
    end do
  end do

  do step = 1, 10
    call MPI_Sendrecv(cells(1, width), height, MPI_DOUBLE_PRECISION, behind, 0, cells(1, 0), height, &
                      MPI_DOUBLE_PRECISION, before, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
    call MPI_Sendrecv(cells(1, 1), height, MPI_DOUBLE_PRECISION, before, 1, cells(1, width + 1), height, &
                      MPI_DOUBLE_PRECISION, behind, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
    do x = 1, width
      do y = 1, height
        later(y, x) = 0.25d0 * (cells(y, x - 1) + 2.0d0 * cells(y, x) + cells(y, x + 1))
      end do
    end do
    do x = 1, width
      do y = 1, height
        cells(y, x) = later(y, x)
      end do
    end do
  end do

  part = sum(cells(:, 1:width))
  call MPI_Reduce(part, total, 1, MPI_DOUBLE_PRECISION, MPI_SUM, 0, MPI_COMM_WORLD, ierr)
  if (rank == 0) print '(f14.3)', total
  call MPI_Finalize(ierr)
end program heat
