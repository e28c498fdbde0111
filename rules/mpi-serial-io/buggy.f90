! Each rank owns a part of a field; rank 0 collects it all and writes the file, step after step.
module output
  use mpi
  implicit none
  integer, parameter :: cells = 20000
contains
  subroutine save(name, mine, rank, ranks)
    character(*), intent(in) :: name
    real(8), intent(in) :: mine(cells)
    integer, intent(in) :: rank, ranks
    real(8), allocatable :: all(:)
    integer :: ierr, unit

    allocate (all(cells * ranks))
    ! expect-run: mpi-serial-io "rank 0 collects 160,000 B from each of 4 ranks"
    call MPI_Gather(mine, cells, MPI_DOUBLE_PRECISION, all, cells, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD, ierr)
    if (rank == 0) then
      open (newunit=unit, file=name, form='unformatted', access='stream', status='replace')
      ! expect: mpi-serial-io high "one rank writes what all ranks have computed"
      write (unit) all
      close (unit)
    end if
    deallocate (all)
  end subroutine save

  ! A few numbers per rank are a report, not output.
  subroutine report(time, rank, ranks)
    real(8), intent(in) :: time
    integer, intent(in) :: rank, ranks
    real(8) :: times(ranks)
    integer :: ierr, r

    call MPI_Gather(time, 1, MPI_DOUBLE_PRECISION, times, 1, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD, ierr)
    if (rank == 0) then
      open (21, file='times.log')
      do r = 1, ranks
        write (21, '(f12.6)') times(r)
      end do
      close (21, status='delete')
    end if
  end subroutine report
end module output

program field
  use output
  implicit none
  integer :: rank, ranks, ierr, i, k, unit
  real(8) :: mine(cells), total, all

  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
  do i = 1, cells
    mine(i) = rank + 1.0d0 / i
  end do
  do k = 1, 3
    mine = 0.5d0 * mine
    call save('field.bin', mine, rank, ranks)
  end do
  call report(mine(1), rank, ranks)
  total = sum(mine)
  call MPI_Reduce(total, all, 1, MPI_DOUBLE_PRECISION, MPI_SUM, 0, MPI_COMM_WORLD, ierr)
  if (rank == 0) then
    print '(f16.6)', all
    open (newunit=unit, file='field.bin')
    close (unit, status='delete')
  end if
  call MPI_Finalize(ierr)
end program field
