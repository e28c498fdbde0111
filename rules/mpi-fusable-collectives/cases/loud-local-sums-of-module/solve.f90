! Sums of products behind the module's function; of the second pair the second one is made of the first one's result.
subroutine solve(n, r, z, d, steps, last)
  use dots
  implicit none
  integer, intent(in) :: n, steps
  double precision, intent(inout) :: r(n), z(n), d(n)
  double precision, intent(out) :: last
  double precision :: square, now, part
  integer :: i, k
  last = 0d0
  do k = 1, steps
    do i = 1, n
      z(i) = r(i) / d(i)
      r(i) = r(i) - 0.5d0 * z(i)
    end do
    ! expect: mpi-fusable-collectives medium "2 calls of MPI_Allreduce in a row" "that of line 18 could join this one"
    square = dot(n, r, r)
    now = dot(n, r, z)
    last = last + now / square
    part = dot(n, d, z)
    do i = 1, n
      d(i) = d(i) - part * z(i)
    end do
    last = last + sqrt(dot(n, d, d))
  end do
end subroutine solve
