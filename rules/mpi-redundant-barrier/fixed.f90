! A rod is shared by the ranks. The messages already make each rank wait for what it needs; the barrier makes it wait
! for everyone else as well.
program rod
  use mpi_f08
  implicit none
  integer, parameter :: cells = 2000
  real(8) :: now(0:cells + 1), after(0:cells + 1), total, part
  integer :: rank, ranks, left, right, step, i

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  left = MPI_PROC_NULL
  right = MPI_PROC_NULL
  if (rank > 0) left = rank - 1
  if (rank < ranks - 1) right = rank + 1
  now = 0.0d0
  do i = 1, cells
    now(i) = mod(rank * cells + i, 32)
  end do

  do step = 1, 100
    call MPI_Sendrecv(now(cells), 1, MPI_DOUBLE_PRECISION, right, 0, now(0), 1, MPI_DOUBLE_PRECISION, left, 0, &
                      MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    call MPI_Sendrecv(now(1), 1, MPI_DOUBLE_PRECISION, left, 1, now(cells + 1), 1, MPI_DOUBLE_PRECISION, right, 1, &
                      MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    do i = 1, cells
      after(i) = 0.25d0 * now(i - 1) + 0.5d0 * now(i) + 0.25d0 * now(i + 1)
    end do
    do i = 1, cells
      now(i) = after(i)
    end do
  end do

  part = sum(now(1:cells))
  call MPI_Reduce(part, total, 1, MPI_DOUBLE_PRECISION, MPI_SUM, 0, MPI_COMM_WORLD)
  if (rank == 0) print '(f16.4)', total
  call MPI_Finalize()
end program rod
