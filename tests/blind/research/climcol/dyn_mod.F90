module dyn_mod
  use state_mod
  use comm_mod, only: wrap_lon
  implicit none
  private
  public :: hydrostatic, advect, wind_step, hdiff, smooth_zonal, smooth_merid, too_fast

contains

  subroutine hydrostatic(st)
    type(state_t), intent(inout) :: st
    integer :: i, j, k
    !$omp parallel do private(i, k) schedule(static)
    do j = 1, st%nlat
       do i = 1, st%nlon
          st%phi(i,j,st%nlev) = 0.5_rk*rgas*st%t(i,j,st%nlev)*dsig(st%nlev)/sig(st%nlev)
          do k = st%nlev - 1, 1, -1
             st%phi(i,j,k) = st%phi(i,j,k+1) + 0.5_rk*rgas*(st%t(i,j,k) + st%t(i,j,k+1))*log(sig(k+1)/sig(k))
          end do
       end do
    end do
  end subroutine hydrostatic

  pure elemental real(rk) function upw(c, m, z, p)
    real(rk), intent(in) :: c, m, z, p
    upw = max(c, 0.0_rk)*(z - m) + min(c, 0.0_rk)*(p - z)
  end function upw

  ! upwind step of a, new value by way of b
  subroutine advect(st, a, b)
    type(state_t), intent(in) :: st
    real(rk), intent(inout) :: a(0:, 0:, :), b(0:, 0:, :)
    real(rk) :: cx, cy
    integer :: i, j, k
    cy = cfg%dt*cfg%nlat/(pi*rearth)
    !$omp parallel private(i, k, cx)
    !$omp do schedule(static)
    do j = 1, st%nlat
       cx = cfg%dt*st%nlon/(2*pi*rearth*coslat(j))
       do k = 1, st%nlev
          do i = 1, st%nlon
             b(i,j,k) = a(i,j,k) - upw(max(-0.9_rk, min(0.9_rk, cx*st%u(i,j,k))), a(i-1,j,k), a(i,j,k), a(i+1,j,k)) &
                        - upw(cy*st%v(i,j,k), a(i,j-1,k), a(i,j,k), a(i,j+1,k))
          end do
       end do
    end do
    !$omp end do
    !$omp do schedule(static)
    do j = 1, st%nlat
       a(1:st%nlon,j,:) = b(1:st%nlon,j,:)
    end do
    !$omp end do nowait
    !$omp end parallel
  end subroutine advect

  subroutine wind_step(st)
    type(state_t), intent(inout) :: st
    real(rk) :: f, dx, dy, ug
    integer :: i, j, k
    dy = pi*rearth/cfg%nlat
    do k = 1, st%nlev
       !$omp parallel do private(i, f, dx, ug)
       do j = 2, st%nlat - 1
          f = 1.46e-4_rk*sinlat(j) + sign(1.0e-5_rk, sinlat(j))
          dx = 2*pi*rearth*coslat(j)/st%nlon
          do i = 2, st%nlon - 1
             ug = -(st%phi(i,j+1,k) - st%phi(i,j-1,k))/(2*dy*f)
             st%u(i,j,k) = st%u(i,j,k) + 1.0e-3_rk*(max(-60.0_rk, min(60.0_rk, ug)) - st%u(i,j,k))
             ug = (st%phi(i+1,j,k) - st%phi(i-1,j,k))/(2*dx*f)
             st%v(i,j,k) = st%v(i,j,k) + 1.0e-3_rk*(max(-20.0_rk, min(20.0_rk, ug)) - st%v(i,j,k))
          end do
       end do
    end do
  end subroutine wind_step

  ! horizontal diffusion of a, work array lap
  subroutine hdiff(st, lap)
    type(state_t), intent(inout), target :: st
    real(rk), intent(inout) :: lap(0:, 0:, :)
    real(rk) :: dx2, dy2
    integer :: i, j, k
    dy2 = (pi*rearth/cfg%nlat)**2
    associate (a => st%t, n => st%nlon, m => st%nlat)
      !$omp parallel private(i, j, dx2)
      !$omp do
      do k = 1, st%nlev
         do i = 1, n
            do j = 1, m
               dx2 = (2*pi*rearth*coslat(j)/n)**2
               lap(i,j,k) = (a(i+1,j,k) - 2*a(i,j,k) + a(i-1,j,k))/max(dx2, dy2) + (a(i,j+1,k) - 2*a(i,j,k) + a(i,j-1,k))/dy2
            end do
         end do
      end do
      !$omp end do
      !$omp do
      do j = 1, m
         do k = 1, st%nlev
            a(1:n,j,k) = a(1:n,j,k) + cfg%dt*cfg%kdiff*lap(1:n,j,k)
         end do
      end do
      !$omp end do nowait
      !$omp end parallel
    end associate
  end subroutine hdiff

  subroutine smooth_zonal(st, w)
    type(state_t), intent(inout) :: st
    real(rk), intent(in) :: w
    integer :: n, m
    n = st%nlon; m = st%nlat
    st%u(1:n,1:m,:) = (1 - w)*st%u(1:n,1:m,:) + 0.5_rk*w*(st%u(0:n-1,1:m,:) + st%u(2:n+1,1:m,:))
  end subroutine smooth_zonal

  subroutine shapiro3(n, x)
    integer, intent(in) :: n
    real(rk), intent(inout) :: x(n)
    real(rk) :: left, mid
    integer :: i
    left = x(1)
    do i = 2, n - 1
       mid = x(i)
       x(i) = 0.5_rk*mid + 0.25_rk*(left + x(i+1))
       left = mid
    end do
  end subroutine shapiro3

  subroutine smooth_merid(st)
    type(state_t), intent(inout) :: st
    integer :: i, k
    !$omp parallel do private(i)
    do k = 1, st%nlev
       do i = 1, st%nlon
          call shapiro3(st%nlat, st%v(i,1:st%nlat,k))
       end do
    end do
  end subroutine smooth_merid

  ! any wind beyond the limit?
  logical function too_fast(st, umax)
    type(state_t), intent(in) :: st
    real(rk), intent(in) :: umax
    integer :: i, j, k
    too_fast = .true.
    do i = 1, st%nlon
       do j = 1, st%nlat
          do k = 1, st%nlev
             if (st%u(i,j,k)**2 + st%v(i,j,k)**2 > umax*umax) return
          end do
       end do
    end do
    too_fast = .false.
  end function too_fast
end module dyn_mod
