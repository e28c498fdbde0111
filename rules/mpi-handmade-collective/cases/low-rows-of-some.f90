! Rows of those ranks that have some: each knows how many, and none is a length like any other.
subroutine answer(frame, nx, height, asked, rank, ranks)
  use mpi_f08
  implicit none
  integer, intent(in) :: nx, height, rank, ranks, asked(0:ranks - 1)
  real(8), intent(inout) :: frame(nx, height)
  integer :: from, j
  if (rank == 0) then
    do from = 1, ranks - 1
      if (asked(from) > 0) then
        do j = 1, asked(from)
          ! expect: mpi-handmade-collective low "MPI_Gather"
          call MPI_Recv(frame(:, j), nx, MPI_DOUBLE_PRECISION, from, j, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
        end do
      end if
    end do
  else
    do j = 1, asked(rank)
      ! expect: mpi-tiny-messages medium "sends 8 * nx bytes per message"
      call MPI_Send(frame(:, j), nx, MPI_DOUBLE_PRECISION, 0, j, MPI_COMM_WORLD)
    end do
  end if
end subroutine answer
