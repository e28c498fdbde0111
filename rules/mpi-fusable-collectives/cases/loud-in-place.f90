! In place, on a communicator of the caller.
subroutine norms(field, cells, first, second, comm)
  use mpi_f08
  implicit none
  integer, intent(in) :: cells
  real(8), intent(in) :: field(cells)
  real(8), intent(out) :: first, second
  type(MPI_Comm), intent(in) :: comm
  integer :: i, step

  do step = 1, 100
    first = 0.0d0
    second = 0.0d0
    do i = 1, cells
      first = first + field(i)
      second = second + field(i) * field(i) / step
    end do
    ! expect: mpi-fusable-collectives medium "that of line 20 could join" "different names"
    call MPI_Allreduce(MPI_IN_PLACE, first, 1, MPI_DOUBLE_PRECISION, MPI_SUM, comm)
    call MPI_Allreduce(MPI_IN_PLACE, second, 1, MPI_DOUBLE_PRECISION, MPI_SUM, comm)
  end do
end subroutine norms
