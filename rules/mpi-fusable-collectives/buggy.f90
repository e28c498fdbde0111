! Norms of a solver's residual and of its step, each reduced on its own.
! ranks: 2
program norms
  use mpi
  implicit none
  integer, parameter :: cells = 64
  real(8) :: field(cells)
  real(8) :: squares, total, residual, norm
  integer :: ierr, rank, step, i

  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  field = 0.0d0
  do step = 1, 400
    squares = 0.0d0
    total = 0.0d0
    do i = 1, cells
      field(i) = 0.5d0 * field(i) + 1.0d0 / (i + mod(step, 7) + 1)
      squares = squares + field(i) * field(i)
      total = total + abs(field(i))
    end do
    ! expect: mpi-fusable-collectives medium "2 calls of MPI_Allreduce in a row pass 16 bytes together" "side by side"
    call MPI_Allreduce(squares, residual, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierr)
    call MPI_Allreduce(total, norm, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierr)
  end do
  if (rank == 0) print '(2f16.6)', residual, norm
  call MPI_Finalize(ierr)
end program norms
