! Flow around a cylinder by the lattice-Boltzmann method, after an expert's report on a slow program.
program main
  use mpi_f08
  use settings
  use lattice
  use physics
  use exchange
  use output
  implicit none
  integer :: rank, ranks, step
  call MPI_Init
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  call read_settings
  call create_lattice(width, height, rank, ranks)
  do step = 1, iterations
    call collide
    call wrap
    call exchange_rows(rank, ranks)
    ! expect: mpi-duplicate-exchange medium "exchange_rows" "a second time after line 19"
    call exchange_rows(rank, ranks)
    call propagate
    if (mod(step, save_interval) == 0) call save_frame(rank, ranks, step)
  end do
  call MPI_Finalize
end program main
