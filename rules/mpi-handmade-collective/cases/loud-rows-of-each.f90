! Row after row from each rank, as many as it has: strips of a height that differs.
subroutine collect(part, frame, nx, ny, height, rank, ranks)
  use mpi_f08
  implicit none
  integer, intent(in) :: nx, ny, height, rank, ranks
  real(8), intent(in) :: part(nx, ny)
  real(8), intent(out) :: frame(nx, height)
  integer :: from, first, rows, j
  if (rank == 0) then
    frame(:, 1:ny) = part
    do from = 1, ranks - 1
      first = height * from / ranks
      rows = height * (from + 1) / ranks - first
      do j = 1, rows
        ! expect: mpi-handmade-collective medium "where MPI_Gatherv takes them as they come"
        call MPI_Recv(frame(:, first + j), nx, MPI_DOUBLE_PRECISION, from, j, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
      end do
    end do
  else
    do j = 1, ny
      ! expect: mpi-tiny-messages medium "sends 8 * nx bytes per message"
      call MPI_Send(part(:, j), nx, MPI_DOUBLE_PRECISION, 0, j, MPI_COMM_WORLD)
    end do
  end if
end subroutine collect
