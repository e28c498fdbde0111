program energies
  use mpi_f08
  use pool, only: pool_t
  implicit none
  type(pool_t) :: ranks
  real(8) :: kinetic, potential, u(1000)
  integer :: step, i
  call MPI_Init()
  ranks%comm = MPI_COMM_WORLD
  call MPI_Comm_rank(ranks%comm, ranks%rank)
  u = ranks%rank
  do step = 1, 100
    kinetic = 0
    potential = 0
    do i = 1, 1000
      u(i) = 0.99d0 * u(i)
      kinetic = kinetic + u(i)**2
      potential = potential + abs(u(i))
    end do
    ! expect: mpi-fusable-collectives medium "2 calls of MPI_Allreduce in a row"
    kinetic = ranks%total(kinetic)
    potential = ranks%total(potential)
    u = u * kinetic / potential
  end do
  if (ranks%rank == 0) print *, sum(u)
  call MPI_Finalize()
end program energies
