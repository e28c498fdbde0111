! flags: -fopenmp
! The main thread of a team, under MPI_Init: libraries tolerate it.
program main_thread
  use mpi
  implicit none
  integer :: ierr
  real(8) :: total, all
  call MPI_Init(ierr)
  total = 1.0d0
  !$omp parallel
  !$omp master
  ! expect: mpi-thread-level medium "the main thread of a team may call MPI_Allreduce"
  call MPI_Allreduce(total, all, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierr)
  !$omp end master
  !$omp end parallel
  call MPI_Finalize(ierr)
end program main_thread
