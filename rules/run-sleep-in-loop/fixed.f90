! Plates cool down, one on each rank; their state is saved every ten steps.
program plates
  use mpi
  implicit none
  integer, parameter :: cells = 4000, steps = 200
  real(8) :: now(cells), next(cells), middle, total
  integer :: rank, ierr, i, step, out
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  do i = 1, cells
    now(i) = mod(i - 1 + rank, 50)
  end do
  open (newunit=out, status='scratch', form='unformatted')
  do step = 0, steps - 1
    call advance
    if (mod(step, 10) == 0) call save_state
  end do
  middle = now(cells / 2 + 1)
  total = 0.0d0
  call MPI_Reduce(middle, total, 1, MPI_DOUBLE_PRECISION, MPI_SUM, 0, MPI_COMM_WORLD, ierr)
  if (rank == 0) print '(f12.6)', total
  close (out)
  call MPI_Finalize(ierr)
contains
  subroutine save_state
    write (out) step, now
  end subroutine save_state

  subroutine advance
    integer :: k
    do k = 2, cells - 1
      next(k) = 0.25d0 * now(k - 1) + 0.5d0 * now(k) + 0.25d0 * now(k + 1)
    end do
    do k = 2, cells - 1
      now(k) = next(k)
    end do
  end subroutine advance
end program plates
