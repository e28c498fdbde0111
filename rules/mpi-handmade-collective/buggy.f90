! Rank 0 hands out the coefficients one rank after another, and adds up the parts in the same way.
program weights
  implicit none
  include 'mpif.h'
  integer, parameter :: coefficients = 64
  real(8) :: c(coefficients), part, whole
  real(8) :: other
  integer :: r
  integer :: ierr, rank, ranks, i

  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
  do i = 1, coefficients
    c(i) = 0.0d0
    if (rank == 0) c(i) = 1.0d0 / i
  end do

  if (rank == 0) then
    do r = 1, ranks - 1
      ! expect: mpi-handmade-collective high "sends the same data to one rank after another" "'r' over the ranks"
      call MPI_Send(c(1), coefficients, MPI_DOUBLE_PRECISION, r, 0, MPI_COMM_WORLD, ierr)
    end do
  else
    call MPI_Recv(c(1), coefficients, MPI_DOUBLE_PRECISION, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
  end if

  part = 0.0d0
  do i = 1, coefficients
    part = part + c(i) * (rank + 1)
  end do

  whole = part
  if (rank == 0) then
    do r = 1, ranks - 1
      ! expect: mpi-handmade-collective high "receives from one rank after another and adds up" "MPI_Reduce"
      call MPI_Recv(other, 1, MPI_DOUBLE_PRECISION, r, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
      whole = whole + other
    end do
  else
    call MPI_Send(part, 1, MPI_DOUBLE_PRECISION, 0, 1, MPI_COMM_WORLD, ierr)
  end if
  if (rank == 0) print '(f16.4)', whole
  call MPI_Finalize(ierr)
end program weights
