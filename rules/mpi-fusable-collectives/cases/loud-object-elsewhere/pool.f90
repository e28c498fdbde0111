! An object that keeps its communicator, and sums numbers by a binding: Fortran hands it over by a descriptor.
module pool
  use mpi_f08
  implicit none
  type, public :: pool_t
    integer :: rank = 0
    type(MPI_Comm) :: comm
  contains
    procedure :: total
  end type pool_t
contains
  function total(self, x) result(y)
    class(pool_t), intent(in) :: self
    real(8), intent(in) :: x
    real(8) :: y
    call MPI_Allreduce(x, y, 1, MPI_DOUBLE_PRECISION, MPI_SUM, self%comm)
  end function total
end module pool
