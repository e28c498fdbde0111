! The two neighbours of a grid of ranks, in a record of a module.
module grid
  implicit none
  type neighbours
    integer :: comm, up, down
  end type neighbours
  type(neighbours) :: near
end module grid

subroutine lay_out(ranks)
  use mpi
  use grid
  implicit none
  integer, intent(in) :: ranks
  integer :: ierr

  call MPI_Cart_create(MPI_COMM_WORLD, 1, [ranks], [.false.], .true., near%comm, ierr)
  call MPI_Cart_shift(near%comm, 0, 1, near%up, near%down, ierr)
end subroutine lay_out

subroutine shift(row, halo, cells)
  use mpi
  use grid
  implicit none
  integer, intent(in) :: cells
  real, intent(in) :: row(cells)
  real, intent(out) :: halo(cells)
  integer :: ierr

  ! expect: mpi-send-recv-chain high "sends to 'near%down'" "receives from 'near%up'"
  call MPI_Send(row, cells, MPI_REAL, near%down, 5, near%comm, ierr)
  call MPI_Recv(halo, cells, MPI_REAL, near%up, 5, near%comm, MPI_STATUS_IGNORE, ierr)
end subroutine shift
