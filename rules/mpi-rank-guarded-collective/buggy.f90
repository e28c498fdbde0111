! The ranks add up their share of a series. The report at the end makes a collective call on rank 0 alone: here its
! message happens to be buffered, elsewhere the program hangs.
module ranks
  implicit none
  integer :: mine, all_ranks
end module ranks

program series
  use mpi
  use ranks
  implicit none
  integer, parameter :: terms = 400000
  real(8) :: part, total
  integer :: ierr, i

  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, mine, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, all_ranks, ierr)
  part = 0.0d0
  do i = 1 + mine * (terms / all_ranks), (mine + 1) * (terms / all_ranks)
    part = part + 1.0d0 / (real(i, 8) * i)
  end do
  ! Fine: both arms make the same call.
  if (mine == 0) then
    call MPI_Reduce(part, total, 1, MPI_DOUBLE_PRECISION, MPI_SUM, 0, MPI_COMM_WORLD, ierr)
  else
    call MPI_Reduce(part, part, 1, MPI_DOUBLE_PRECISION, MPI_SUM, 0, MPI_COMM_WORLD, ierr)
  end if
  call MPI_Bcast(total, 1, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD, ierr)
  if (mine == 0) then
    print '(f10.6)', total
    ! expect: mpi-rank-guarded-collective high "never do, and whoever calls it hangs" "rank 0 alone calls MPI_Bcast"
    call MPI_Bcast(total, 1, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD, ierr)
  end if
  call MPI_Finalize(ierr)
end program series
