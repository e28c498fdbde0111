program steps
  use mpi
  use pictures, only: collect
  implicit none
  integer, parameter :: n = 4096
  real(8) :: frame(n), total
  real(8), allocatable :: all(:, :)
  integer :: ierr, rank, ranks, step, i
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
  allocate (all(n, 0:ranks - 1))
  frame = rank
  do step = 1, 200
    do i = 1, n
      frame(i) = 0.5d0 * frame(i) + step
    end do
    call MPI_Allreduce(sum(frame), total, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierr)
    frame = frame / total
    if (mod(step, 4) == 0) call collect(frame, all, n, rank, ranks)
  end do
  if (rank == 0) print *, sum(all)
  call MPI_Finalize(ierr)
end program steps
