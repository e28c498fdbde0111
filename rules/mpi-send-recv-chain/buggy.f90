! Every rank hands its last column to the next rank before it takes the column of the previous one: the last rank, which
! has nobody to send to, frees its neighbour, that one the next, and so on back to the first.
program shift
  use mpi
  implicit none
  integer, parameter :: rows = 4000, columns = 64
  real(8) :: field(rows, 0:columns), total, part
  integer :: ierr, rank, ranks, before, behind, step, i, j

  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
  before = MPI_PROC_NULL
  behind = MPI_PROC_NULL
  if (rank > 0) before = rank - 1
  if (rank < ranks - 1) behind = rank + 1
  do j = 0, columns
    do i = 1, rows
      field(i, j) = mod(rank * columns + i + j, 64)
    end do
  end do

  do step = 1, 20
    ! expect: mpi-send-recv-chain high "a chain as long as the ranks" "sends to 'behind'" "receives from 'before'"
    call MPI_Send(field(1, columns), rows, MPI_DOUBLE_PRECISION, behind, 0, MPI_COMM_WORLD, ierr)
    call MPI_Recv(field(1, 0), rows, MPI_DOUBLE_PRECISION, before, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
    do j = columns, 1, -1
      do i = 1, rows
        field(i, j) = 0.75d0 * field(i, j) + 0.25d0 * field(i, j - 1)
      end do
    end do
  end do

  part = sum(field(:, 1:columns))
  call MPI_Reduce(part, total, 1, MPI_DOUBLE_PRECISION, MPI_SUM, 0, MPI_COMM_WORLD, ierr)
  if (rank == 0) print '(f16.4)', total
  call MPI_Finalize(ierr)
end program shift
