!  Momentum: density, hydrostatic pressure, baroclinic step, barotropic
!  subcycling.
module dyn
  use grid
  use halo
  implicit none
  real(dp), allocatable, save :: gu(:,:,:), gv(:,:,:)
  integer, parameter :: nsub = 10
contains

  subroutine density
    integer :: i, j, k
    real(dp) :: t, s
!$omp parallel do private(i,j,t,s)
    do k = 1, nz
       do i = 0, nx+1
          do j = 0, ny+1
             t = tr(i,j,k,1) - 10._dp
             s = tr(i,j,k,2) - 35._dp
             rho(i,j,k) = rho0 - t*(0.17_dp + 0.0055_dp*t) + 0.78_dp*s + 4.4e-3_dp*zc(k)
          end do
       end do
    end do
!$omp end parallel do
  end subroutine density

  subroutine pressure
    integer :: i, j, k
!$omp parallel do private(i,k)
    do j = 0, ny+1
       do i = 0, nx+1
          p(i,j,1) = grav*(rho0*eta(i,j) + 0.5_dp*rho(i,j,1)*dz(1))
          do k = 2, nz
             p(i,j,k) = p(i,j,k-1) + 0.5_dp*grav*(rho(i,j,k-1)*dz(k-1) + rho(i,j,k)*dz(k))
          end do
       end do
    end do
!$omp end parallel do
  end subroutine pressure

  subroutine tendencies
    integer :: i, j, k
    real(dp) :: adv, visc, ah
    ah = 500._dp
    if (.not. allocated(gu)) then
       allocate(gu(0:nx+1,0:ny+1,nz), gv(0:nx+1,0:ny+1,nz))
    end if
    do k = 1, nz
!$omp parallel do private(i,adv,visc)
       do j = 1, ny
          do i = 1, nx
             adv = u(i,j,k)*(u(i+1,j,k)-u(i-1,j,k))/(2*dx) + v(i,j,k)*(u(i,j+1,k)-u(i,j-1,k))/(2*dy(j))
             visc = ah*((u(i+1,j,k)-2*u(i,j,k)+u(i-1,j,k))/dx**2 + (u(i,j+1,k)-2*u(i,j,k)+u(i,j-1,k))/dy(j)**2)
             gu(i,j,k) = mask(i,j,k)*(fcor(j)*v(i,j,k) - adv + visc - (p(i+1,j,k)-p(i-1,j,k))/(2*dx*rho0))
          end do
       end do
!$omp end parallel do
    end do
!$omp parallel do collapse(2) private(i,adv,visc)
    do k = 1, nz
       do j = 1, ny
          do i = 1, nx
             adv = u(i,j,k)*(v(i+1,j,k)-v(i-1,j,k))/(2*dx) + v(i,j,k)*(v(i,j+1,k)-v(i,j-1,k))/(2*dy(j))
             visc = ah*((v(i+1,j,k)-2*v(i,j,k)+v(i-1,j,k))/dx**2 + (v(i,j+1,k)-2*v(i,j,k)+v(i,j-1,k))/dy(j)**2)
             gv(i,j,k) = mask(i,j,k)*(-fcor(j)*u(i,j,k) - adv + visc - (p(i,j+1,k)-p(i,j-1,k))/(2*dy(j)*rho0))
          end do
       end do
    end do
!$omp end parallel do
  end subroutine tendencies

  subroutine step_uv
    integer :: i, j, k
!$omp parallel private(i,j,k)
!$omp do
    do j = 1, ny
       do i = 1, nx
          gu(i,j,1) = gu(i,j,1) + taux(i,j)/(rho0*dz(1))*mask(i,j,1)
       end do
    end do
!$omp end do
!$omp do
    do k = 1, nz
       do j = 1, ny
          do i = 1, nx
             u(i,j,k) = u(i,j,k) + dt*gu(i,j,k)
             v(i,j,k) = v(i,j,k) + dt*gv(i,j,k)
          end do
       end do
    end do
!$omp end do nowait
!$omp end parallel
    call halo3d(u)
    call halo3d(v)
  end subroutine step_uv

  !  w from continuity, downwards from the surface
  subroutine vertvel
    integer :: i, j, k
!$omp parallel private(i,j,k)
!$omp do
    do j = 1, ny
       w(:,j,nz) = 0._dp
       do k = nz-1, 1, -1
          do i = 1, nx
             w(i,j,k) = w(i,j,k+1) - dz(k+1)*((u(i+1,j,k+1)-u(i-1,j,k+1))/(2*dx) &
                  + (v(i,j+1,k+1)-v(i,j-1,k+1))/(2*dy(j)))
          end do
       end do
    end do
!$omp end do
!$omp end parallel
  end subroutine vertvel

  !  depth mean of u, v
  subroutine depth_mean
    integer :: i, j, k
    real(dp) :: su, sv, h
!$omp parallel do private(i,k,su,sv) schedule(static)
    do j = 1, ny
       do i = 1, nx
          su = 0._dp; sv = 0._dp; h = 0._dp
          do k = 1, kmt(i,j)
             su = su + u(i,j,k)*dz(k)
             sv = sv + v(i,j,k)*dz(k)
             h  = h + dz(k)
          end do
          if (h > 0._dp) then
             ub(i,j) = su/h
             vb(i,j) = sv/h
          end if
       end do
    end do
!$omp end parallel do
  end subroutine depth_mean

  subroutine barotropic
    integer :: i, j, n, ierr
    real(dp) :: ddt, h0
    ddt = dt/nsub
    h0 = 1600._dp
    call depth_mean
    do n = 1, nsub
       call halo2d(ub)
       call halo2d(vb)
!$omp parallel do private(i)
       do j = 1, ny
          do i = 1, nx
             eta(i,j) = eta(i,j) - ddt*h0*mask(i,j,1)*((ub(i+1,j)-ub(i-1,j))/(2*dx) + (vb(i,j+1)-vb(i,j-1))/(2*dy(j)))
          end do
       end do
!$omp end parallel do
       call halo2d(eta)
!$omp parallel do private(i)
       do j = 1, ny
          do i = 1, nx
             ub(i,j) = ub(i,j) + ddt*(fcor(j)*vb(i,j) - grav*(eta(i+1,j)-eta(i-1,j))/(2*dx))*mask(i,j,1)
             vb(i,j) = vb(i,j) - ddt*(fcor(j)*ub(i,j) + grav*(eta(i,j+1)-eta(i,j-1))/(2*dy(j)))*mask(i,j,1)
          end do
       end do
!$omp end parallel do
       call MPI_Barrier(comm, ierr)
    end do
  end subroutine barotropic
end module dyn
