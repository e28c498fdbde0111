module sweep_m
  use base_m
  use field_m
  implicit none
  private
  public :: sweep_all, leakage
  real(wp), save :: leak = 0.0_wp
contains

  ! transport sweep: eight octants, pipelined through the tasks in y
  subroutine sweep_all(g, q, phi, sigt)
    type(grid_t), intent(in) :: g
    type(field_t), intent(in) :: q
    type(field_t), intent(inout) :: phi
    real(wp), intent(in) :: sigt(:,:,:,:)
    real(wp), allocatable :: fx(:,:), fy(:,:,:), fz(:,:,:)
    integer :: oct, m, kk, k, sx, sy, sz, from, to
    allocate(fx(g%ng,g%ny), fy(g%ng,g%nx,g%nz), fz(g%ng,g%nx,g%ny))
    call phi%zero()
    leak = 0.0_wp
    do oct = 0, 7
      sx = merge(1,-1,btest(oct,0)); sz = merge(1,-1,btest(oct,1)); sy = merge(1,-1,btest(oct,2))
      from = merge(g%lo, g%hi, sy > 0); to = merge(g%hi, g%lo, sy > 0)
      do m = 1, nang
        fz = 0.0_wp
        fy = 0.0_wp
        if (from == MPI_PROC_NULL .and. sy > 0) fy(:,:,:) = 0.1_wp
        do kk = 1, g%nz
          k = merge(kk, g%nz+1-kk, sz > 0)
          call MPI_Recv(fy(1,1,k), g%ng*g%nx, MPI_DOUBLE_PRECISION, from, m, g%comm, MPI_STATUS_IGNORE)
          fx = 0.0_wp
          call sweep_plane(g, q%a(:,:,:,k), phi%a(:,:,:,k), sigt(:,:,k,:), fx, fy(:,:,k), fz, m, sx, sy)
          call MPI_Send(fy(1,1,k), g%ng*g%nx, MPI_DOUBLE_PRECISION, to, m, g%comm)
        end do
        leak = leak + wt*sum(fz)*xi(m)*g%dx*g%dy
      end do
    end do
  end subroutine sweep_all

  subroutine sweep_plane(g, q, phi, st, fx, fy, fz, m, sx, sy)
    type(grid_t), intent(in) :: g
    real(wp), intent(in) :: q(g%ng,g%nx,g%ny), st(g%nx,g%ny,g%ng)
    real(wp), intent(inout) :: phi(g%ng,g%nx,g%ny)
    real(wp), intent(inout) :: fx(g%ng,g%ny), fy(g%ng,g%nx), fz(g%ng,g%nx,g%ny)
    integer, intent(in) :: m, sx, sy
    integer :: i, j, ii, jj, ig
    real(wp) :: cx, cy, cz, psi
    cx = 2*mu(m)/g%dx; cy = 2*eta(m)/g%dy; cz = 2*xi(m)/g%dz
    do jj = 1, g%ny
      j = merge(jj, g%ny+1-jj, sy > 0)
      do ii = 1, g%nx
        i = merge(ii, g%nx+1-ii, sx > 0)
        do ig = 1, g%ng
          psi = (q(ig,i,j) + cx*fx(ig,j) + cy*fy(ig,i) + cz*fz(ig,i,j))/(st(i,j,ig)+cx+cy+cz)
          fx(ig,j) = max(2*psi - fx(ig,j), 0.0_wp)
          fy(ig,i) = max(2*psi - fy(ig,i), 0.0_wp)
          fz(ig,i,j) = max(2*psi - fz(ig,i,j), 0.0_wp)
          phi(ig,i,j) = phi(ig,i,j) + wt*psi
        end do
      end do
    end do
  end subroutine sweep_plane

  ! leakage of the whole box, summed along the tasks
  real(wp) function leakage(g)
    type(grid_t), intent(in) :: g
    real(wp) :: part
    part = 0.0_wp
    if (g%rank > 0) call MPI_Recv(part, 1, MPI_DOUBLE_PRECISION, g%rank-1, 70, g%comm, MPI_STATUS_IGNORE)
    part = part + leak
    if (g%rank < g%nproc-1) call MPI_Send(part, 1, MPI_DOUBLE_PRECISION, g%rank+1, 70, g%comm)
    call MPI_Bcast(part, 1, MPI_DOUBLE_PRECISION, g%nproc-1, g%comm)
    leakage = part
  end function leakage
end module sweep_m
