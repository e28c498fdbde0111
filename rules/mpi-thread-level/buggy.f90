! flags: -fopenmp
! Threads share the steps of a sum; whichever of them comes first exchanges the parts with the neighbours, although the
! program told MPI that it has no threads.
program shares
  use mpi
  implicit none
  integer, parameter :: parts = 8, steps = 25
  real(8) :: mine(parts), other(parts), total, all
  integer :: rank, ranks, ierr, before, behind, k, step

  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
  behind = mod(rank + 1, ranks)
  before = mod(rank + ranks - 1, ranks)
  mine = 0.0d0
  !$omp parallel private(step)
  do step = 1, steps
    !$omp do
    do k = 1, parts
      mine(k) = 0.5d0 * mine(k) + term(k, rank)
    end do
    !$omp end do
    !$omp single
    ! expect: mpi-thread-level high "threads in turn may call MPI_Sendrecv" "call MPI_Init_thread(MPI_THREAD_SERIALIZED, provided, ierror)"
    ! expect-run: mpi-thread-level high "calls from here came from other threads than the one that initialised MPI, with MPI_THREAD_SINGLE provided" "ask MPI_Init_thread for MPI_THREAD_SERIALIZED"
    call MPI_Sendrecv(mine, parts, MPI_DOUBLE_PRECISION, behind, 0, other, parts, MPI_DOUBLE_PRECISION, before, 0, &
      MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
    !$omp end single
    !$omp do
    do k = 1, parts
      mine(k) = mine(k) + other(k)
    end do
    !$omp end do
  end do
  !$omp end parallel
  total = sum(mine)
  call MPI_Reduce(total, all, 1, MPI_DOUBLE_PRECISION, MPI_SUM, 0, MPI_COMM_WORLD, ierr)
  if (rank == 0) print '(f14.6)', all
  call MPI_Finalize(ierr)
contains
  real(8) function term(k, rank)
    integer, intent(in) :: k, rank
    integer :: i
    term = 0.0d0
    do i = 1, 20000
      term = term + 1.0d0 / (i + k + rank * parts)
    end do
  end function term
end program shares
