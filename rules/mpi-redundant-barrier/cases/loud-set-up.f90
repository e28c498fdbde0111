! Of barriers in procedures that run once nobody would gain; where a loop calls them, somebody does.
program phases
  use mpi
  implicit none
  real(8) :: field(64), total
  integer :: ierr, step

  call MPI_Init(ierr)
  call prepare(field)
  do step = 1, 100
    call relax(field)
  end do
  call MPI_Reduce(field, total, 1, MPI_DOUBLE_PRECISION, MPI_SUM, 0, MPI_COMM_WORLD, ierr)
  call MPI_Finalize(ierr)
end program phases

subroutine prepare(field)
  use mpi
  implicit none
  real(8), intent(out) :: field(64)
  integer :: ierr

  field = 1.0d0
  ! expect: mpi-redundant-barrier low
  call MPI_Barrier(MPI_COMM_WORLD, ierr)
  call MPI_Bcast(field, 64, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD, ierr)
end subroutine prepare

subroutine relax(field)
  use mpi
  implicit none
  real(8), intent(inout) :: field(64)
  integer :: ierr

  field = 0.5d0 * field
  ! expect: mpi-redundant-barrier medium
  call MPI_Barrier(MPI_COMM_WORLD, ierr)
  call MPI_Allreduce(MPI_IN_PLACE, field, 64, MPI_DOUBLE_PRECISION, MPI_MAX, MPI_COMM_WORLD, ierr)
end subroutine relax
