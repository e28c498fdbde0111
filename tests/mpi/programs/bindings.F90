! The same few calls through each Fortran binding: -DBINDING=1 mpif.h, 2 use mpi, 3 use mpi_f08.
program bindings
#if BINDING == 2
  use mpi
#elif BINDING == 3
  use mpi_f08
#endif
  implicit none
#if BINDING == 1
  include 'mpif.h'
#endif
#if BINDING == 3
  type(MPI_Request) :: requests(2)
  type(MPI_Status) :: status
  type(MPI_Comm) :: half
#else
  integer :: requests(2), status(MPI_STATUS_SIZE), half
#endif
  integer :: rank, ierr, peer, i
  double precision :: a(8), b(8), t
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  peer = 1 - rank
  a = rank
  b = 0
  do i = 1, 3
    if (rank == 0) then
      call MPI_Send(a, i, MPI_DOUBLE_PRECISION, peer, 5, MPI_COMM_WORLD, ierr)
    else
      call MPI_Recv(b, 8, MPI_DOUBLE_PRECISION, MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
    end if
  end do
  call MPI_Sendrecv(a, 4, MPI_DOUBLE_PRECISION, peer, 6, b, 4, MPI_DOUBLE_PRECISION, peer, 6, MPI_COMM_WORLD, status, ierr)
  call MPI_Irecv(b, 8, MPI_DOUBLE_PRECISION, MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, requests(1), ierr)
  call MPI_Isend(a, 2, MPI_DOUBLE_PRECISION, peer, 7, MPI_COMM_WORLD, requests(2), ierr)
  call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, ierr)
  call MPI_Allreduce(MPI_IN_PLACE, b, 2, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierr)
  call MPI_Comm_split(MPI_COMM_WORLD, rank, 0, half, ierr)
  call MPI_Barrier(half, ierr)
  call MPI_Comm_free(half, ierr)
#if BINDING == 3
  call MPI_Bcast(b, 8, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD)
#else
  call MPI_Bcast(b, 8, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD, ierr)
#endif
  t = MPI_Wtime()
  print '(a,i0,a,f0.3)', 'rank ', rank, ': ', b(1)
  call MPI_Finalize(ierr)
end program bindings
