! flags: -fopenmp
! A team for one number of each rank. Elements of the rank's own data may be many.
subroutine offsets(counts, all, comm)
  use mpi
  implicit none
  integer, intent(in) :: counts(*), comm
  integer, intent(out) :: all
  integer :: rank, ranks, ierr
  call MPI_Comm_size(comm, ranks, ierr)
  all = 0
  ! expect: omp-small-loop medium ", for as many ranks" "the loop is"
  !$omp parallel do reduction(+:all)
  do rank = 1, ranks
    all = all + counts(rank)
  end do
  !$omp end parallel do
end subroutine offsets

subroutine elements(values, n, all)
  implicit none
  integer, intent(in) :: n, values(n)
  integer, intent(out) :: all
  integer :: i
  all = 0
  !$omp parallel do reduction(+:all)
  do i = 1, n
    all = all + values(i)
  end do
  !$omp end parallel do
end subroutine elements
