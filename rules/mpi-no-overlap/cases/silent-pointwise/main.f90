program main
  use mpi
  use halo
  use smoothing
  implicit none
  real(8), allocatable :: heat(:, :), next(:, :)
  integer :: rows, columns, step, steps, rank, ranks, ierr
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
  left = modulo(rank - 1, ranks)
  right = modulo(rank + 1, ranks)
  read *, rows, columns, steps
  allocate (heat(rows, 0:columns + 1), next(rows, 0:columns + 1))
  heat = rank
  next = 0
  do step = 1, steps
    call fill(heat, rows, columns)
    call smooth(heat, next, rows, columns)
    call smooth(next, heat, rows, columns)
  end do
  print *, heat(1, 1)
  call MPI_Finalize(ierr)
end program main
