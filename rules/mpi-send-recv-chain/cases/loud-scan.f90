! A sum that goes from rank to rank, and then back to all, in each iteration.
module leaks
  use mpi
  implicit none
  integer :: rank, nproc
  real(8) :: leak
contains
  real(8) function leakage()
    real(8) :: part
    integer :: ierr, status(MPI_STATUS_SIZE)
    part = 0.0d0
    if (rank > 0) call MPI_Recv(part, 1, MPI_DOUBLE_PRECISION, rank - 1, 70, MPI_COMM_WORLD, status, ierr)
    part = part + leak
    ! expect: mpi-send-recv-chain medium "goes from rank to rank" "MPI_Allreduce gives all ranks the whole"
    if (rank < nproc - 1) call MPI_Send(part, 1, MPI_DOUBLE_PRECISION, rank + 1, 70, MPI_COMM_WORLD, ierr)
    call MPI_Bcast(part, 1, MPI_DOUBLE_PRECISION, nproc - 1, MPI_COMM_WORLD, ierr)
    leakage = part
  end function leakage
end module leaks
