! Heat on a plate. In Fortran the first index is the contiguous one: cut across it, each border is a row that is gathered
! cell by cell; cut across the second one, it is a column that is sent as it lies.
! ranks: 2
program heat
  use mpi
  implicit none
  integer, parameter :: height = 128, width = 4096
  real(8) :: cells(0:height + 1, width), later(0:height + 1, width), out(width), in(width)
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
      cells(y, x) = mod(rank * height + y + 13 * x, 64)
    end do
  end do

  do step = 1, 10
    do x = 1, width
      out(x) = cells(height, x)
    end do
    ! expect: mpi-strided-halo high "copied one by one to a buffer" "4096 pieces of 8 bytes" "the halo of 'cells'"
    call MPI_Sendrecv(out, width, MPI_DOUBLE_PRECISION, behind, 0, in, width, MPI_DOUBLE_PRECISION, before, 0, &
                      MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
    if (before /= MPI_PROC_NULL) then
      do x = 1, width
        cells(0, x) = in(x)
      end do
    end if
    do x = 1, width
      out(x) = cells(1, x)
    end do
    call MPI_Sendrecv(out, width, MPI_DOUBLE_PRECISION, before, 1, in, width, MPI_DOUBLE_PRECISION, behind, 1, &
                      MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
    if (behind /= MPI_PROC_NULL) then
      do x = 1, width
        cells(height + 1, x) = in(x)
      end do
    end if
    do x = 1, width
      do y = 1, height
        later(y, x) = 0.25d0 * (cells(y - 1, x) + 2.0d0 * cells(y, x) + cells(y + 1, x))
      end do
    end do
    do x = 1, width
      do y = 1, height
        cells(y, x) = later(y, x)
      end do
    end do
  end do

  part = sum(cells(1:height, :))
  call MPI_Reduce(part, total, 1, MPI_DOUBLE_PRECISION, MPI_SUM, 0, MPI_COMM_WORLD, ierr)
  if (rank == 0) print '(f14.3)', total
  call MPI_Finalize(ierr)
end program heat
