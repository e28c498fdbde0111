! Blocks one above the other exchange their border rows, which lie across the contiguous index: a message per cell, and
! as many cells from one buffer.
! ranks: 2
program borders
  use mpi
  implicit none
  integer, parameter :: rows = 64, columns = 512
  real(8) :: field(rows, columns), edge(columns), total, part
  integer :: ierr, rank, ranks, next, last, step, j

  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
  next = MPI_PROC_NULL
  last = MPI_PROC_NULL
  if (rank < ranks - 1) next = rank + 1
  if (rank > 0) last = rank - 1
  do j = 1, columns
    field(:, j) = rank + 0.01d0 * j
  end do

  do step = 1, 20
    do j = 1, columns
      edge(j) = field(rows, j)
    end do
    if (mod(rank, 2) == 0) then
      call hand_over(edge, next)
      call take(field, last)
    else
      call take(field, last)
      call hand_over(edge, next)
    end if
    field(2:rows, :) = 0.5d0 * (field(2:rows, :) + field(1:rows - 1, :))
  end do

  part = sum(field)
  call MPI_Reduce(part, total, 1, MPI_DOUBLE_PRECISION, MPI_SUM, 0, MPI_COMM_WORLD, ierr)
  if (rank == 0) print '(f16.4)', total
  call MPI_Finalize(ierr)

contains

  subroutine hand_over(edge, peer)
    real(8), intent(in) :: edge(columns)
    integer, intent(in) :: peer

    ! expect: mpi-strided-halo high "copied one by one to a buffer" "512 pieces of 8 bytes"
    call MPI_Send(edge, columns, MPI_DOUBLE_PRECISION, peer, 0, MPI_COMM_WORLD, ierr)
  end subroutine hand_over

  subroutine take(field, peer)
    real(8), intent(inout) :: field(rows, columns)
    integer, intent(in) :: peer
    real(8) :: halo(columns)
    integer :: j

    if (peer == MPI_PROC_NULL) return
    call MPI_Recv(halo, columns, MPI_DOUBLE_PRECISION, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
    do j = 1, columns
      field(1, j) = halo(j)
    end do
  end subroutine take

end program borders
