!  Exchange of the halo rows, and the closed / cyclic edges
module halo
  use grid
  implicit none
  private
  public :: halo2d, halo3d, halo_tr, halo3d_begin, halo3d_end
  real(dp), allocatable, save :: sbs(:,:), sbn(:,:), rbs(:,:), rbn(:,:)
  integer, save :: req(4)
contains

  subroutine cyclic2d(a)
    real(dp), intent(inout) :: a(0:nx+1,0:ny+1)
    integer :: j
    do j = 0, ny+1
       a(0,j)    = a(nx,j)
       a(nx+1,j) = a(1,j)
    end do
  end subroutine cyclic2d

  subroutine halo2d(a)
    real(dp), intent(inout) :: a(0:nx+1,0:ny+1)
    integer :: ierr, st(MPI_STATUS_SIZE)
    call MPI_Sendrecv(a(0,1), nx+2, MPI_DOUBLE_PRECISION, south, 11, &
         a(0,ny+1), nx+2, MPI_DOUBLE_PRECISION, north, 11, comm, st, ierr)
    call MPI_Sendrecv(a(0,ny), nx+2, MPI_DOUBLE_PRECISION, north, 12, &
         a(0,0), nx+2, MPI_DOUBLE_PRECISION, south, 12, comm, st, ierr)
    call cyclic2d(a)
  end subroutine halo2d

  !  whole rows of all levels packed: one message for each neighbour
  subroutine halo3d_begin(a)
    real(dp), intent(in) :: a(0:nx+1,0:ny+1,nz)
    integer :: ierr, k
    if (.not. allocated(sbs)) then
       allocate(sbs(0:nx+1,nz), sbn(0:nx+1,nz), rbs(0:nx+1,nz), rbn(0:nx+1,nz))
    end if
    call MPI_Irecv(rbs, (nx+2)*nz, MPI_DOUBLE_PRECISION, south, 22, comm, req(1), ierr)
    call MPI_Irecv(rbn, (nx+2)*nz, MPI_DOUBLE_PRECISION, north, 21, comm, req(2), ierr)
    do k = 1, nz
       sbs(:,k) = a(:,1,k)
       sbn(:,k) = a(:,ny,k)
    end do
    call MPI_Isend(sbs, (nx+2)*nz, MPI_DOUBLE_PRECISION, south, 21, comm, req(3), ierr)
    call MPI_Isend(sbn, (nx+2)*nz, MPI_DOUBLE_PRECISION, north, 22, comm, req(4), ierr)
  end subroutine halo3d_begin

  subroutine halo3d_end(a)
    real(dp), intent(inout) :: a(0:nx+1,0:ny+1,nz)
    integer :: ierr, k, j
    call MPI_Waitall(4, req, MPI_STATUSES_IGNORE, ierr)
    do k = 1, nz
       if (south /= MPI_PROC_NULL) a(:,0,k)    = rbs(:,k)
       if (north /= MPI_PROC_NULL) a(:,ny+1,k) = rbn(:,k)
    end do
    do k = 1, nz
       do j = 0, ny+1
          a(0,j,k)    = a(nx,j,k)
          a(nx+1,j,k) = a(1,j,k)
       end do
    end do
  end subroutine halo3d_end

  subroutine halo3d(a)
    real(dp), intent(inout) :: a(0:nx+1,0:ny+1,nz)
    call halo3d_begin(a)
    call halo3d_end(a)
  end subroutine halo3d

  !  tracers came later than the dynamics and still use the old routine
  subroutine halo_tr(a)
    real(dp), intent(inout) :: a(0:nx+1,0:ny+1,nz)
    integer :: k
    do k = 1, nz
       call halo2d(a(0,0,k))
    end do
  end subroutine halo_tr
end module halo
