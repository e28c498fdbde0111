! The barrier is the last thing that an exchange does, which each step calls.
module halo
  use mpi
  implicit none
contains
  subroutine exchange(u, n, up, down)
    integer, intent(in) :: n, up, down
    real(8), intent(inout) :: u(0:n + 1)
    real(8) :: above, below
    integer :: ierr
    above = u(0)
    below = u(n + 1)
    call MPI_Sendrecv(u(n), 1, MPI_DOUBLE_PRECISION, up, 1, below, 1, MPI_DOUBLE_PRECISION, down, 1, &
                      MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
    call MPI_Sendrecv(u(1), 1, MPI_DOUBLE_PRECISION, down, 2, above, 1, MPI_DOUBLE_PRECISION, up, 2, &
                      MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
    u(0) = below
    u(n + 1) = above
    ! expect: mpi-redundant-barrier medium "after MPI_Sendrecv" "unless callers order files"
    call MPI_Barrier(MPI_COMM_WORLD, ierr)
  end subroutine exchange
end module halo
