! The rows next to a strip, from the ranks above and below.
module exchange
  use mpi_f08
  use lattice
  implicit none
contains
  subroutine exchange_rows(rank, ranks)
    integer, intent(in) :: rank, ranks
    integer :: i
    ! Upwards: the row below comes first.
    if (rank > 0) then
      do i = 0, nx + 1
        call MPI_Recv(f(:, i, 0), last + 1, MPI_DOUBLE_PRECISION, rank - 1, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
      end do
    end if
    if (rank < ranks - 1) then
      do i = 0, nx + 1
        ! expect: mpi-tiny-messages high "copy the elements to one buffer"
        call MPI_Send(f(:, i, ny), last + 1, MPI_DOUBLE_PRECISION, rank + 1, i, MPI_COMM_WORLD)
      end do
    end if
    ! expect: mpi-redundant-barrier medium "remove the barrier"
    call MPI_Barrier(MPI_COMM_WORLD)
    ! Downwards.
    if (rank < ranks - 1) then
      do i = 0, nx + 1
        call MPI_Recv(f(:, i, ny + 1), last + 1, MPI_DOUBLE_PRECISION, rank + 1, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
      end do
    end if
    if (rank > 0) then
      do i = 0, nx + 1
        ! expect: mpi-tiny-messages high "copy the elements to one buffer"
        call MPI_Send(f(:, i, 1), last + 1, MPI_DOUBLE_PRECISION, rank - 1, i, MPI_COMM_WORLD)
      end do
    end if
    ! expect: mpi-redundant-barrier low
    call MPI_Barrier(MPI_COMM_WORLD)
  end subroutine exchange_rows
end module exchange
