! Parts that come one after another, text that is written number by number, and ranks that take turns.
module output
  use mpi
  implicit none
contains
  subroutine parts(mine, part, n, rank, ranks)
    integer, intent(in) :: n, rank, ranks
    real(8), intent(in) :: mine(n)
    real(8), intent(inout) :: part(n)
    integer :: r, ierr

    if (rank == 0) then
      write (20) mine
      do r = 1, ranks - 1
        call MPI_Recv(part, n, MPI_DOUBLE_PRECISION, r, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
        ! expect: mpi-serial-io medium "one rank writes what all ranks have computed"
        write (20) part
      end do
    else
      call MPI_Send(mine, n, MPI_DOUBLE_PRECISION, 0, 7, MPI_COMM_WORLD, ierr)
    end if
  end subroutine parts

  subroutine text(mine, all, n, total, rank, file)
    integer, intent(in) :: n, total, rank, file
    real(8), intent(in) :: mine(n)
    real(8), intent(inout) :: all(total)
    integer :: i, ierr

    call MPI_Gather(mine, n, MPI_DOUBLE_PRECISION, all, n, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD, ierr)
    if (rank == 0) then
      do i = 1, total
        ! expect: mpi-serial-io medium
        write (file, '(i8, f14.6)') i, all(i)
      end do
    end if
  end subroutine text

  subroutine turns(mine, n)
    integer, intent(in) :: n
    real(8), intent(in) :: mine(n)
    integer :: r, rank, ranks, ierr

    call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
    do r = 0, ranks - 1
      if (rank == r) then
        open (22, file='all.dat', position='append')
        ! expect: mpi-serial-io high "the ranks write the file one after another"
        write (22, *) mine
        close (22)
      end if
      call MPI_Barrier(MPI_COMM_WORLD, ierr)
    end do
  end subroutine turns
end module output
