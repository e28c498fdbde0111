! In each step all ranks write to a file, one after the other has come by here.
module pictures
  use mpi
  implicit none
contains
  subroutine collect(frame, all, n, rank, ranks)
    integer, intent(in) :: n, rank, ranks
    real(8), intent(in) :: frame(n)
    real(8), intent(out) :: all(n, 0:ranks - 1)
    integer :: ierr, p
    ! expect: mpi-redundant-barrier low "before MPI_Send"
    call MPI_Barrier(MPI_COMM_WORLD, ierr)
    if (rank == 0) then
      all(:, 0) = frame
      do p = 1, ranks - 1
        ! expect: mpi-handmade-collective medium "MPI_Gather"
        call MPI_Recv(all(1, p), n, MPI_DOUBLE_PRECISION, p, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
      end do
    else
      call MPI_Send(frame, n, MPI_DOUBLE_PRECISION, 0, 1, MPI_COMM_WORLD, ierr)
    end if
  end subroutine collect
end module pictures
