! The rows next to a strip, from the ranks above and below: each in one message.
module exchange
  use mpi_f08
  use lattice
  implicit none
contains
  subroutine exchange_rows(rank, ranks)
    integer, intent(in) :: rank, ranks
    integer :: above, below, length
    above = merge(rank + 1, MPI_PROC_NULL, rank < ranks - 1)
    below = merge(rank - 1, MPI_PROC_NULL, rank > 0)
    length = (last + 1) * (nx + 2)
    call MPI_Sendrecv(f(:, :, ny), length, MPI_DOUBLE_PRECISION, above, 1, &
      f(:, :, 0), length, MPI_DOUBLE_PRECISION, below, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    call MPI_Sendrecv(f(:, :, 1), length, MPI_DOUBLE_PRECISION, below, 2, &
      f(:, :, ny + 1), length, MPI_DOUBLE_PRECISION, above, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
  end subroutine exchange_rows
end module exchange
