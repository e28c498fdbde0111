! A strip of a plate: halo columns are exchanged, then a source term is computed that needs none of them, then the heat
! spreads.
! ranks: 2
module plate
  implicit none
  integer, parameter :: rows = 16384, columns = 32
  real(8) :: heat(rows, 0:columns + 1), later(rows, columns), source(rows, columns)
end module plate

program spread_heat
  use mpi
  use plate
  implicit none
  real(8) :: total, part
  integer :: ierr, rank, ranks, left, right, step, i, j

  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
  left = MPI_PROC_NULL
  right = MPI_PROC_NULL
  if (rank > 0) left = rank - 1
  if (rank < ranks - 1) right = rank + 1
  source = 0.0d0
  do j = 0, columns + 1
    do i = 1, rows
      heat(i, j) = mod(rank * columns + j, 7) + 0.01d0 * i
    end do
  end do

  do step = 1, 10
    call advance(left, right, 0.1d0 * step)
  end do

  part = sum(heat(:, 1:columns))
  call MPI_Reduce(part, total, 1, MPI_DOUBLE_PRECISION, MPI_SUM, 0, MPI_COMM_WORLD, ierr)
  if (rank == 0) print '(f16.4)', total
  call MPI_Finalize(ierr)
end program spread_heat

subroutine advance(left, right, time)
  use mpi
  use plate
  implicit none
  integer, intent(in) :: left, right
  real(8), intent(in) :: time
  integer :: requests(4), ierr, i, j

  call MPI_Irecv(heat(1, 0), rows, MPI_DOUBLE_PRECISION, left, 0, MPI_COMM_WORLD, requests(1), ierr)
  call MPI_Irecv(heat(1, columns + 1), rows, MPI_DOUBLE_PRECISION, right, 1, MPI_COMM_WORLD, requests(2), ierr)
  call MPI_Isend(heat(1, columns), rows, MPI_DOUBLE_PRECISION, right, 0, MPI_COMM_WORLD, requests(3), ierr)
  call MPI_Isend(heat(1, 1), rows, MPI_DOUBLE_PRECISION, left, 1, MPI_COMM_WORLD, requests(4), ierr)
  ! expect: mpi-no-overlap high "MPI_Waitall" "the loop over 'j' at line 55 touches none of their data"
  call MPI_Waitall(4, requests, MPI_STATUSES_IGNORE, ierr)
  do j = 1, columns
    do i = 1, rows
      source(i, j) = 0.999d0 * source(i, j) + 1.0d-6 * time * (i + j)
    end do
  end do
  do j = 1, columns
    do i = 2, rows - 1
      later(i, j) = heat(i, j) + source(i, j) + 0.2d0 * (heat(i, j - 1) + heat(i, j + 1) - 2.0d0 * heat(i, j))
    end do
  end do
  heat(2:rows - 1, 1:columns) = later(2:rows - 1, :)
end subroutine advance
