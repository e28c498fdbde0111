! A function of a module that adds up what this rank has before it asks the others.
module dots
  use mpi
  implicit none
contains
  double precision function dot(n, a, b)
    integer, intent(in) :: n
    double precision, intent(in) :: a(n), b(n)
    double precision :: own
    integer :: i, ierr
    own = 0d0
    do i = 1, n
      own = own + a(i) * b(i)
    end do
    call MPI_Allreduce(own, dot, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierr)
  end function dot
end module dots
