program steps
  use mpi
  use halo, only: exchange
  implicit none
  integer, parameter :: n = 4096
  real(8) :: u(0:n + 1), next(n)
  integer :: ierr, rank, ranks, step, i, up, down
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
  up = mod(rank + 1, ranks)
  down = mod(rank + ranks - 1, ranks)
  u = rank
  call exchange(u, n, up, down)
  do step = 1, 200
    do i = 1, n
      next(i) = 0.25d0 * (u(i - 1) + 2 * u(i) + u(i + 1))
    end do
    u(1:n) = next
    call exchange(u, n, up, down)
    if (rank > 0) call MPI_Send(u(1), 1, MPI_DOUBLE_PRECISION, 0, 9, MPI_COMM_WORLD, ierr)
    if (rank == 0) then
      do i = 2, ranks
        call MPI_Recv(next(i), 1, MPI_DOUBLE_PRECISION, MPI_ANY_SOURCE, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
      end do
    end if
  end do
  if (rank == 0) print *, sum(u)
  call MPI_Finalize(ierr)
end program steps
