! Frames of the density, collected by the first rank.
module output
  use mpi_f08
  use lattice
  use settings, only: height
  implicit none
contains
  subroutine save_frame(rank, ranks, step)
    integer, intent(in) :: rank, ranks, step
    real(8), allocatable :: density(:, :), frame(:, :)
    integer :: i, j, from, at, starts(0:ranks - 1), lengths(0:ranks - 1)
    allocate (density(nx, ny))
    do j = 1, ny
      do i = 1, nx
        density(i, j) = sum(f(:, i, j))
      end do
    end do
    do from = 0, ranks - 1
      at = height * from / ranks
      starts(from) = nx * at
      lengths(from) = nx * (height * (from + 1) / ranks - at)
    end do
    allocate (frame(nx, merge(height, 0, rank == 0)))
    call MPI_Gatherv(density, nx * ny, MPI_DOUBLE_PRECISION, frame, lengths, starts, MPI_DOUBLE_PRECISION, 0, &
      MPI_COMM_WORLD)
    if (rank == 0) print '(a, i6, 2f20.10)', 'step', step, sum(frame), sum(frame**2)
  end subroutine save_frame
end module output
