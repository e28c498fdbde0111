! Norms of a solver's residual and of its step, each reduced on its own.
! ranks: 2
program norms
  use mpi
  implicit none
  integer, parameter :: cells = 64
  real(8) :: field(cells)
  real(8) :: parts(2), sums(2)
  integer :: ierr, rank, step, i

  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  field = 0.0d0
  do step = 1, 400
    parts = 0.0d0
    do i = 1, cells
      field(i) = 0.5d0 * field(i) + 1.0d0 / (i + mod(step, 7) + 1)
      parts(1) = parts(1) + field(i) * field(i)
      parts(2) = parts(2) + abs(field(i))
    end do
    call MPI_Allreduce(parts, sums, 2, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierr)
  end do
  if (rank == 0) print '(2f16.6)', sums
  call MPI_Finalize(ierr)
end program norms
