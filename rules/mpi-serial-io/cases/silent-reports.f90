! The terminal, text in memory, a file of each rank's own, what was summed, and a few numbers of each rank.
module output
  use mpi
  implicit none
contains
  subroutine screen(mine, all, n, total, rank)
    integer, intent(in) :: n, total, rank
    real(8), intent(in) :: mine(n)
    real(8), intent(inout) :: all(total)
    character(80) :: line
    integer :: ierr

    call MPI_Gather(mine, n, MPI_DOUBLE_PRECISION, all, n, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD, ierr)
    if (rank == 0) then
      print *, all
      write (*, '(f14.6)') all(1)
      write (0, *) all(2)
      write (line, '(f14.6)') all(3)
      print *, trim(line)
    end if
  end subroutine screen

  subroutine own(mine, all, n, total, rank)
    integer, intent(in) :: n, total, rank
    real(8), intent(in) :: mine(n)
    real(8), intent(inout) :: all(total)
    real(8) :: sums(2), mean(2)
    integer :: ierr

    call MPI_Gather(mine, n, MPI_DOUBLE_PRECISION, all, n, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD, ierr)
    write (30 + rank) mine
    sums = mine(1:2)
    call MPI_Reduce(sums, mean, 2, MPI_DOUBLE_PRECISION, MPI_SUM, 0, MPI_COMM_WORLD, ierr)
    if (rank == 0) write (20, *) mean
  end subroutine own

  subroutine few(time, times, ranks, rank)
    integer, intent(in) :: ranks, rank
    real(8), intent(in) :: time
    real(8), intent(inout) :: times(ranks)
    integer :: ierr

    call MPI_Gather(time, 1, MPI_DOUBLE_PRECISION, times, 1, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD, ierr)
    if (rank == 0) write (20, *) times
  end subroutine few
end module output
