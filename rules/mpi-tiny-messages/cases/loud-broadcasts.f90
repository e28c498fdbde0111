! All ranks take part in a call for each element, in the binding with types.
subroutine share(table, entries)
  use mpi_f08
  implicit none
  integer, intent(in) :: entries
  real(8), intent(inout) :: table(entries)
  integer :: i

  do i = 1, entries
    ! expect: mpi-tiny-messages medium "one call for all of them" "MPI_Bcast"
    call MPI_Bcast(table(i), 1, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD)
  end do
end subroutine share
