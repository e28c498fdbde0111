! Frames of the density, collected by the first rank.
module output
  use mpi_f08
  use lattice
  use settings, only: height, pause_ms
  use, intrinsic :: iso_c_binding, only: c_int
  implicit none
  interface
    integer(c_int) function usleep(microseconds) bind(c)
      import :: c_int
      integer(c_int), value :: microseconds
    end function usleep
  end interface
contains
  subroutine save_frame(rank, ranks, step)
    integer, intent(in) :: rank, ranks, step
    real(8), allocatable :: density(:, :), frame(:, :)
    integer :: i, j, from, rows, at
    allocate (density(nx, ny))
    do j = 1, ny
      do i = 1, nx
        density(i, j) = sum(f(:, i, j))
      end do
    end do
    if (rank == 0) then
      allocate (frame(nx, height))
      frame(:, 1:ny) = density
      do from = 1, ranks - 1
        at = height * from / ranks
        rows = height * (from + 1) / ranks - at
        do j = 1, rows
          ! expect: mpi-handmade-collective medium "MPI_Gatherv"
          call MPI_Recv(frame(:, at + j), nx, MPI_DOUBLE_PRECISION, from, j, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
        end do
      end do
      print '(a, i6, 2f20.10)', 'step', step, sum(frame), sum(frame**2)
    else
      do j = 1, ny
        ! expect: mpi-tiny-messages medium "as one message"
        call MPI_Send(density(:, j), nx, MPI_DOUBLE_PRECISION, 0, j, MPI_COMM_WORLD)
      end do
    end if
    ! expect: run-sleep-in-loop medium "remove the call of usleep"
    if (usleep(1000 * pause_ms) /= 0) continue
  end subroutine save_frame
end module output
