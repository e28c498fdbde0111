! flags: -fopenmp
! The program chooses the thread by itself.
program chosen
  use mpi
  use omp_lib
  implicit none
  integer :: ierr
  call MPI_Init(ierr)
  !$omp parallel
  if (omp_get_thread_num() == 0) then
    call MPI_Barrier(MPI_COMM_WORLD, ierr)
  end if
  !$omp end parallel
  call MPI_Finalize(ierr)
end program chosen
