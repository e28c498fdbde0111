! flags: -fopenmp
! A loop that a team shares sends by itself and through a procedure, the main thread calls under MPI_Init_thread with less.
module halo
  use mpi
  implicit none
contains
  subroutine exchange(part, partner)
    real(8), intent(inout) :: part(100)
    integer, intent(in) :: partner
    integer :: ierr
    ! expect: mpi-tiny-messages
    call MPI_Sendrecv_replace(part, 100, MPI_DOUBLE_PRECISION, partner, 0, partner, 0, MPI_COMM_WORLD, &
      MPI_STATUS_IGNORE, ierr)
  end subroutine exchange

  recursive subroutine step(part, partner)
    real(8), intent(inout) :: part(100)
    integer, intent(in) :: partner
    call exchange(part, partner)
  end subroutine step

  subroutine all_steps(parts, partner)
    real(8), intent(inout) :: parts(100, 8)
    integer, intent(in) :: partner
    integer :: k
    !$omp parallel do
    do k = 1, 8
      ! expect: mpi-thread-level high "MPI_Sendrecv_replace"
      call step(parts(:, k), partner)
    end do
    !$omp end parallel do
  end subroutine all_steps
end module halo

program threads
  use halo
  implicit none
  real(8) :: parts(100, 8), total, all
  integer :: rank, ierr, k, provided

  call MPI_Init_thread(MPI_THREAD_FUNNELED, provided, ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  parts = rank
  !$omp parallel do private(ierr)
  do k = 1, 8
    ! expect: mpi-thread-level high "any thread of the team may call MPI_Send, which needs MPI_THREAD_MULTIPLE"
    ! expect: mpi-tiny-messages
    if (rank == 0) call MPI_Send(parts(1, k), 100, MPI_DOUBLE_PRECISION, 1, k, MPI_COMM_WORLD, ierr)
  end do
  !$omp end parallel do
  call all_steps(parts, rank)
  !$omp parallel
  !$omp master
  total = sum(parts)
  call MPI_Reduce(total, all, 1, MPI_DOUBLE_PRECISION, MPI_SUM, 0, MPI_COMM_WORLD, ierr)
  !$omp end master
  !$omp critical
  ! expect: mpi-thread-level high "threads in turn may call MPI_Barrier"
  call MPI_Barrier(MPI_COMM_WORLD, ierr)
  !$omp end critical
  !$omp end parallel
  call MPI_Finalize(ierr)
end program threads
