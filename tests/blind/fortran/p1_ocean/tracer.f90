!  Tracer transport and vertical mixing
module tracer
  use grid
  use halo
  implicit none
  real(dp), allocatable, save :: fx(:,:,:), tnew(:,:,:)
contains

  subroutine surface_forcing(istep)
    integer, intent(in) :: istep
    integer :: i, j
    real(dp) :: day, es, ta, ss
    day = istep*dt/86400._dp
    do j = 0, ny+1
       ta = 25._dp*coslat(j) + 3._dp*sin(2*pi*day/365._dp)
       do i = 0, nx+1
          ss = tr(i,j,1,1)
          es = 6.11_dp*exp(17.27_dp*ss/(ss+237.3_dp))
          qnet(i,j) = 20._dp*(ta-ss) - 2._dp*es + 180._dp*max(0._dp,sin(2*pi*day))*coslat(j)
          taux(i,j) = 0.1_dp*cos(2*pi*(j0+j)/real(ny_glo,dp))*(1._dp+0.1_dp*sin(6*pi*i/nx+day))
       end do
    end do
  end subroutine surface_forcing

  subroutine advect(n)
    integer, intent(in) :: n
    integer :: i, j, k, kp, km
    real(dp) :: fe, fw, fn, fs, wt, wb
    if (.not. allocated(tnew)) allocate(tnew(0:nx+1,0:ny+1,nz))
    call halo3d(u)
    call halo_tr(tr(0,0,1,n))
!$omp parallel do private(i,j,kp,km,fe,fw,fn,fs,wt,wb)
    do k = 1, nz
       km = max(1,k-1); kp = min(nz,k+1)
       do j = 1, ny
          do i = 1, nx
             fe = 0.25_dp*(u(i,j,k)+u(i+1,j,k))*(tr(i,j,k,n)+tr(i+1,j,k,n))
             fw = 0.25_dp*(u(i,j,k)+u(i-1,j,k))*(tr(i,j,k,n)+tr(i-1,j,k,n))
             fn = 0.25_dp*(v(i,j,k)+v(i,j+1,k))*(tr(i,j,k,n)+tr(i,j+1,k,n))
             fs = 0.25_dp*(v(i,j,k)+v(i,j-1,k))*(tr(i,j,k,n)+tr(i,j-1,k,n))
             wt = w(i,j,km)*0.5_dp*(tr(i,j,km,n)+tr(i,j,k,n))
             wb = w(i,j,k)*0.5_dp*(tr(i,j,k,n)+tr(i,j,kp,n))
             tnew(i,j,k) = tr(i,j,k,n) - dt*mask(i,j,k)*((fe-fw)/dx + (fn-fs)/dy(j) + (wt-wb)*dzr(k))
          end do
       end do
    end do
!$omp end parallel do
!$omp parallel do private(i,j)
    do k = 1, nz
       do j = 1, ny
          do i = 1, nx
             tr(i,j,k,n) = tnew(i,j,k)
          end do
       end do
    end do
!$omp end parallel do
  end subroutine advect

  !  Mixing coefficient after the local Richardson number
  subroutine mixing_coef
    integer :: i, j, k
    real(dp) :: ri, sh, n2
!$omp parallel do private(i,k,ri,sh,n2)
    do j = 1, ny
       do k = 2, nz
          do i = 1, nx
             n2 = -grav/rho0*(rho(i,j,k-1)-rho(i,j,k))*dzr(k)
             sh = ((u(i,j,k-1)-u(i,j,k))*dzr(k))**2 + ((v(i,j,k-1)-v(i,j,k))*dzr(k))**2 + 1.e-10_dp
             ri = n2/sh
             if (ri < 0._dp) then
                kv(i,j,k) = 0.05_dp
             else
                kv(i,j,k) = 1.e-5_dp + 5.e-3_dp/(1._dp+5._dp*ri)**2
             end if
          end do
       end do
    end do
!$omp end parallel do
  end subroutine mixing_coef

  !  Implicit vertical diffusion, Thomas algorithm for each column
  subroutine vdiff(n)
    integer, intent(in) :: n
    integer :: i, j, k, kb
    real(dp) :: a(nz), b(nz), c(nz), d(nz), m
!$omp parallel do private(i,k,kb,a,b,c,d,m)
    do j = 1, ny
       do i = 1, nx
          kb = kmt(i,j)
          if (kb < 2) cycle
          do k = 1, kb
             a(k) = 0._dp; c(k) = 0._dp
             if (k > 1)  a(k) = -dt*kv(i,j,k)*dzr(k)**2
             if (k < kb) c(k) = -dt*kv(i,j,k+1)*dzr(k)**2
             b(k) = 1._dp - a(k) - c(k)
             d(k) = tr(i,j,k,n)
          end do
          if (n == 1) d(1) = d(1) + dt*qnet(i,j)/(4.2e6_dp*dz(1))
          do k = 2, kb
             m = a(k)/b(k-1)
             b(k) = b(k) - m*c(k-1)
             d(k) = d(k) - m*d(k-1)
          end do
          tr(i,j,kb,n) = d(kb)/b(kb)
          do k = kb-1, 1, -1
             d(k+1) = tr(i,j,k+1,n)
             tr(i,j,k,n) = (d(k) - c(k)*d(k+1))/b(k)
          end do
       end do
    end do
!$omp end parallel do
  end subroutine vdiff

  !  Convective adjustment, called for unstable columns only
  subroutine convect
    integer :: i, j
    real(dp) :: tmix
!$omp parallel do private(i,tmix) schedule(dynamic,4)
    do j = 1, ny
       do i = 1, nx
          if (rho(i,j,1) > rho(i,j,2) + 0.01_dp) then
             tmix = (tr(i,j,1,1)*dz(1) + tr(i,j,2,1)*dz(2))/(dz(1)+dz(2))
             tr(i,j,1:2,1) = tmix
          end if
       end do
    end do
!$omp end parallel do
  end subroutine convect
end module tracer
