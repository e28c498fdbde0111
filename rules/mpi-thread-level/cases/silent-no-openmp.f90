! Compiled without OpenMP: there is no team.
program serial
  use mpi
  implicit none
  integer :: ierr
  call MPI_Init(ierr)
  !$omp parallel
  call MPI_Barrier(MPI_COMM_WORLD, ierr)
  !$omp end parallel
  call MPI_Finalize(ierr)
end program serial
