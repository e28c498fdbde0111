! A row lies across the contiguous index: its cells are a constant step apart. The peer is a variable of a module, and
! the array an allocatable one.
module field_of
  implicit none
  real(8), allocatable :: field(:, :)
  integer :: rows, columns, below
end module field_of

subroutine send_row(i)
  use field_of
  implicit none
  include 'mpif.h'
  integer, intent(in) :: i
  integer :: j, ierr

  do j = 1, columns
    ! expect: mpi-tiny-messages high "a constant step apart"
    call MPI_Send(field(i, j), 1, MPI_DOUBLE_PRECISION, below, 0, MPI_COMM_WORLD, ierr)
  end do
end subroutine send_row
