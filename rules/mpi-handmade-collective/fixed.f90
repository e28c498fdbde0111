! Rank 0 hands out the coefficients one rank after another, and adds up the parts in the same way.
program weights
  implicit none
  include 'mpif.h'
  integer, parameter :: coefficients = 64
  real(8) :: c(coefficients), part, whole
  integer :: ierr, rank, ranks, i

  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
  do i = 1, coefficients
    c(i) = 0.0d0
    if (rank == 0) c(i) = 1.0d0 / i
  end do

  call MPI_Bcast(c(1), coefficients, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD, ierr)

  part = 0.0d0
  do i = 1, coefficients
    part = part + c(i) * (rank + 1)
  end do

  call MPI_Reduce(part, whole, 1, MPI_DOUBLE_PRECISION, MPI_SUM, 0, MPI_COMM_WORLD, ierr)
  if (rank == 0) print '(f16.4)', whole
  call MPI_Finalize(ierr)
end program weights
