! flags: -fopenmp
! Calls outside of the team's regions, clocks, and what the level that is asked for allows.
module work
  use mpi
  implicit none
contains
  subroutine share(v, n)
    integer, intent(in) :: n
    real(8), intent(inout) :: v(n)
    integer :: i, ierr
    real(8) :: start
    !$omp parallel private(start)
    start = MPI_Wtime()
    !$omp do
    do i = 1, n
      v(i) = 2.0d0 * v(i)
    end do
    !$omp end do
    !$omp master
    call MPI_Bcast(v, n, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD, ierr)
    !$omp end master
    !$omp barrier
    !$omp single
    call collect(v, n)
    !$omp end single
    !$omp end parallel
    call MPI_Barrier(MPI_COMM_WORLD, ierr)
    call MPI_Bcast(v, n, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD, ierr)
  end subroutine share

  subroutine collect(v, n)
    integer, intent(in) :: n
    real(8), intent(inout) :: v(n)
    integer :: ierr
    call MPI_Allreduce(MPI_IN_PLACE, v, n, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierr)
  end subroutine collect
end module work

program enough
  use work
  implicit none
  real(8) :: v(100)
  integer :: provided, ierr
  call MPI_Init_thread(MPI_THREAD_SERIALIZED, provided, ierr)
  v = 1.0d0
  call share(v, 100)
  call MPI_Finalize(ierr)
end program enough
