! The work behind the loop of exchanges needs what the loop made.
subroutine residual(p, r, q, z, a, n, pairs, partner)
  use mpi
  implicit none
  integer, intent(in) :: n, pairs, partner(pairs)
  real(8), intent(inout) :: p(n), r(n), q(n), z(n), a(n)
  real(8) :: rho, part
  integer :: i, j, step, ierr, request

  rho = 0.0d0
  do step = 1, 25
    part = 0.0d0
    do j = 1, n
      part = part + r(j) * r(j)
      z(j) = z(j) + p(j)
    end do
    do i = 1, pairs
      call MPI_Irecv(rho, 1, MPI_DOUBLE_PRECISION, partner(i), i, MPI_COMM_WORLD, request, ierr)
      ! expect: mpi-handmade-collective medium "'i' over partners combines values" no-fix
      call MPI_Send(part, 1, MPI_DOUBLE_PRECISION, partner(i), i, MPI_COMM_WORLD, ierr)
      call MPI_Wait(request, MPI_STATUS_IGNORE, ierr)
      part = part + rho
    end do
    do j = 1, n
      p(j) = r(j) + part * p(j)
    end do
  end do
  do j = 1, n
    do i = 1, n
      q(j) = q(j) + a(i) * z(i)
    end do
  end do
end subroutine residual
