module sn_comm
  use sn_data
  use mpi
  implicit none
  integer :: comm
contains
  ! the sweep goes up in z: incoming face of a group from below
  subroutine recv_face(g)
    integer, intent(in) :: g
    integer :: ierr, st(MPI_STATUS_SIZE)
    if (iam == 0) then
       psiz_in(:,:,:,g) = 0.0_r8
       return
    end if
    call mpi_recv(psiz_in(1,1,1,g), nang*nx*ny, MPI_DOUBLE_PRECISION, pe_dn, g, comm, st, ierr)
  end subroutine recv_face

  subroutine send_face(g)
    integer, intent(in) :: g
    integer :: ierr
    if (iam < npes-1) call mpi_send(psiz(1,1,1,g), nang*nx*ny, MPI_DOUBLE_PRECISION, pe_up, g, comm, ierr)
  end subroutine send_face

  ! planes of the fission source for the diffusion accelerator
  subroutine swap_planes(f, lo, hi)
    real(r8), intent(in) :: f(nx,ny,nz)
    real(r8), intent(out) :: lo(nx,ny), hi(nx,ny)
    integer :: j, ierr, st(MPI_STATUS_SIZE)
    lo = 0.0_r8
    hi = 0.0_r8
    do j = 1, ny
       call mpi_sendrecv(f(1,j,nz), nx, MPI_DOUBLE_PRECISION, pe_up, j, &
            lo(1,j), nx, MPI_DOUBLE_PRECISION, pe_dn, j, comm, st, ierr)
       call mpi_sendrecv(f(1,j,1), nx, MPI_DOUBLE_PRECISION, pe_dn, j, &
            hi(1,j), nx, MPI_DOUBLE_PRECISION, pe_up, j, comm, st, ierr)
    end do
  end subroutine swap_planes

  subroutine swap_planes_begin(f, lo, hi, rq)
    real(r8), intent(in) :: f(nx,ny,nz)
    real(r8), intent(out) :: lo(nx,ny), hi(nx,ny)
    integer, intent(out) :: rq(4)
    integer :: ierr
    lo = 0.0_r8
    hi = 0.0_r8
    call mpi_irecv(lo, nx*ny, MPI_DOUBLE_PRECISION, pe_dn, 201, comm, rq(1), ierr)
    call mpi_irecv(hi, nx*ny, MPI_DOUBLE_PRECISION, pe_up, 202, comm, rq(2), ierr)
    call mpi_isend(f(1,1,nz), nx*ny, MPI_DOUBLE_PRECISION, pe_up, 201, comm, rq(3), ierr)
    call mpi_isend(f(1,1,1), nx*ny, MPI_DOUBLE_PRECISION, pe_dn, 202, comm, rq(4), ierr)
  end subroutine swap_planes_begin

  subroutine swap_planes_end(rq)
    integer, intent(inout) :: rq(4)
    integer :: ierr, st(MPI_STATUS_SIZE,4)
    call mpi_waitall(4, rq, st, ierr)
  end subroutine swap_planes_end

  function gmax(x) result(y)
    real(r8), intent(in) :: x
    real(r8) :: y
    integer :: ierr
    call mpi_allreduce(x, y, 1, MPI_DOUBLE_PRECISION, MPI_MAX, comm, ierr)
  end function gmax

  function gsum(x) result(y)
    real(r8), intent(in) :: x
    real(r8) :: y
    integer :: ierr
    call mpi_allreduce(x, y, 1, MPI_DOUBLE_PRECISION, MPI_SUM, comm, ierr)
  end function gsum

  ! sum over the processors by rank 0
  subroutine sum_groups(a, n)
    integer, intent(in) :: n
    real(r8), intent(inout) :: a(n)
    real(r8) :: b(n)
    integer :: ip, ierr, st(MPI_STATUS_SIZE)
    if (iam == 0) then
       do ip = 1, npes-1
          call mpi_recv(b, n, MPI_DOUBLE_PRECISION, ip, 90, comm, st, ierr)
          a = a + b
       end do
       do ip = 1, npes-1
          call mpi_send(a, n, MPI_DOUBLE_PRECISION, ip, 91, comm, ierr)
       end do
    else
       call mpi_send(a, n, MPI_DOUBLE_PRECISION, 0, 90, comm, ierr)
       call mpi_recv(a, n, MPI_DOUBLE_PRECISION, 0, 91, comm, st, ierr)
    end if
  end subroutine sum_groups
end module sn_comm
