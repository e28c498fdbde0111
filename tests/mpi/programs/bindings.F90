! The same few calls through each Fortran binding: -DBINDING=1 mpif.h, 2 use mpi, 3 use mpi_f08.
program bindings
#if BINDING == 2
  use mpi
#elif BINDING == 3
  use mpi_f08
#endif
  use, intrinsic :: iso_c_binding, only: c_ptr, c_f_pointer
  implicit none
#if BINDING == 1
  include 'mpif.h'
#endif
#if BINDING == 3
  type(MPI_Request) :: requests(2)
  type(MPI_Status) :: status
  type(MPI_Status) :: statuses(2)
  type(MPI_Comm) :: half
  type(MPI_Datatype) :: absolute
  type(MPI_Message) :: message
  type(MPI_Win) :: window
  type(MPI_File) :: file
#else
  integer :: requests(2), status(MPI_STATUS_SIZE), statuses(MPI_STATUS_SIZE, 2), half, absolute, message, window, file
#endif
  integer :: rank, ierr, peer, i, index, count, indices(2)
  logical :: flag
  integer(MPI_ADDRESS_KIND) :: address(1), bytes
  type(c_ptr) :: base
  double precision, pointer :: memory(:)
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
  ! Persistent messages and all that completes them; indices count from 1.
  call MPI_Send_init(a, 3, MPI_DOUBLE_PRECISION, peer, 8, MPI_COMM_WORLD, requests(1), ierr)
  call MPI_Recv_init(b, 3, MPI_DOUBLE_PRECISION, peer, 8, MPI_COMM_WORLD, requests(2), ierr)
  call MPI_Startall(2, requests, ierr)
  call MPI_Waitany(2, requests, index, MPI_STATUS_IGNORE, ierr)
  call MPI_Waitany(2, requests, index, status, ierr)
  call MPI_Start(requests(1), ierr)
  call MPI_Start(requests(2), ierr)
  i = 0
  do while (i < 2)
    call MPI_Waitsome(2, requests, count, indices, statuses, ierr)
    i = i + count
  end do
  call MPI_Request_free(requests(1), ierr)
  call MPI_Request_free(requests(2), ierr)
  call MPI_Isend(a, 2, MPI_DOUBLE_PRECISION, peer, 9, MPI_COMM_WORLD, requests(1), ierr)
  call MPI_Mprobe(peer, 9, MPI_COMM_WORLD, message, MPI_STATUS_IGNORE, ierr)
  call MPI_Mrecv(b, 2, MPI_DOUBLE_PRECISION, message, MPI_STATUS_IGNORE, ierr)
  flag = .false.
  do while (.not. flag)
    call MPI_Test(requests(1), flag, MPI_STATUS_IGNORE, ierr)
  end do
  ! A type of absolute addresses.
  call MPI_Get_address(a(3), address(1), ierr)
  call MPI_Type_create_hindexed(1, (/ 2 /), address, MPI_DOUBLE_PRECISION, absolute, ierr)
  call MPI_Type_commit(absolute, ierr)
  if (rank == 0) then
    call MPI_Send(MPI_BOTTOM, 1, absolute, peer, 10, MPI_COMM_WORLD, ierr)
  else
    call MPI_Recv(MPI_BOTTOM, 1, absolute, peer, 10, MPI_COMM_WORLD, status, ierr)
  end if
  call MPI_Type_free(absolute, ierr)
  ! Every other number of an array.
  call MPI_Irecv(b, 2, MPI_DOUBLE_PRECISION, peer, 11, MPI_COMM_WORLD, requests(1), ierr)
  call MPI_Isend(a(1:3:2), 2, MPI_DOUBLE_PRECISION, peer, 11, MPI_COMM_WORLD, requests(2), ierr)
  call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, ierr)
  ! Windows of allocated memory, and files.
  bytes = 64
  call MPI_Win_allocate(bytes, 8, MPI_INFO_NULL, MPI_COMM_WORLD, base, window, ierr)
  call c_f_pointer(base, memory, (/ 8 /))
  memory = 0
  call MPI_Win_fence(0, window, ierr)
  call MPI_Put(a, 4, MPI_DOUBLE_PRECISION, peer, 0_MPI_ADDRESS_KIND, 4, MPI_DOUBLE_PRECISION, window, ierr)
  call MPI_Win_fence(0, window, ierr)
  b(1) = b(1) + memory(4)
  call MPI_Win_free(window, ierr)
  call MPI_File_open(MPI_COMM_SELF, '/dev/null', MPI_MODE_WRONLY, MPI_INFO_NULL, file, ierr)
  call MPI_File_write(file, a, 8, MPI_DOUBLE_PRECISION, MPI_STATUS_IGNORE, ierr)
  call MPI_File_close(file, ierr)
#ifdef LARGE
  call MPI_Bcast(b, 8_MPI_COUNT_KIND, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD, ierr)
#endif
  t = MPI_Wtime()
  print '(a,i0,a,f0.3)', 'rank ', rank, ': ', b(1)
  call MPI_Finalize(ierr)
end program bindings
