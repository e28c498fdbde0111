! MPI behind procedures of the program's own: numbers that go in and come out in one variable, a generic name.
module layer
  use mpi
  implicit none
  interface total
    module procedure total_8, total_4
  end interface total
contains
  subroutine total_8(value)
    real(8), intent(inout) :: value
    real(8) :: all
    integer :: ierr
    all = value
    call MPI_Allreduce(value, all, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierr)
    value = all
  end subroutine total_8

  subroutine total_4(value)
    real(4), intent(inout) :: value
    real(4) :: all
    integer :: ierr
    all = value
    call MPI_Allreduce(value, all, 1, MPI_REAL, MPI_SUM, MPI_COMM_WORLD, ierr)
    value = all
  end subroutine total_4

  subroutine largest(mine, all, code)
    real(8), intent(in) :: mine
    real(8), intent(out) :: all
    integer, intent(out) :: code
    call MPI_Allreduce(mine, all, 1, MPI_DOUBLE_PRECISION, MPI_MAX, MPI_COMM_WORLD, code)
  end subroutine largest
end module layer
