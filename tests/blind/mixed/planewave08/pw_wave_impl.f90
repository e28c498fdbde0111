submodule (pw_wave) pw_wave_impl
  use omp_lib
  implicit none
contains
  module subroutine create(self, n)
    class(density_t), intent(inout) :: self
    integer, intent(in) :: n
    allocate(self%r(n,n,n), self%old(n,n,n), self%v(n,n,n))
    self%r = 0
    self%old = 1.0_dp
    self%v = 0
  end subroutine create

  module subroutine add_band(self, f, occ)
    class(density_t), intent(inout) :: self
    class(fft_t), intent(in) :: f
    real(dp), intent(in) :: occ
    integer :: i, j, k
!$omp parallel do private(i,j)
    do k = 1, size(self%r,3)
       do i = 1, size(self%r,1)
          do j = 1, size(self%r,2)
             self%r(i,j,k) = self%r(i,j,k) + occ*(real(f%box(i,j,k))**2 + aimag(f%box(i,j,k))**2)
          end do
       end do
    end do
  end subroutine add_band

  module subroutine mix(self, alpha, d)
    class(density_t), intent(inout) :: self
    real(dp), intent(in) :: alpha
    real(dp), intent(out) :: d
    integer :: i, j, k
    d = 0
!$omp parallel private(i,j,k)
!$omp do schedule(static) reduction(+:d)
    do k = 1, size(self%r,3)
       do j = 1, size(self%r,2)
          do i = 1, size(self%r,1)
             d = d + (self%r(i,j,k) - self%old(i,j,k))**2
          end do
       end do
    end do
!$omp end do nowait
!$omp do schedule(static)
    do k = 1, size(self%r,3)
       do j = 1, size(self%r,2)
          do i = 1, size(self%r,1)
             self%old(i,j,k) = (1-alpha)*self%old(i,j,k) + alpha*self%r(i,j,k)
             self%r(i,j,k) = self%old(i,j,k)
          end do
       end do
    end do
!$omp end parallel
  end subroutine mix

  ! local exchange with the box seen as a line of points
  module subroutine xc(self, e)
    class(density_t), intent(inout), target :: self
    real(dp), intent(out) :: e
    real(dp), pointer :: r1(:), v1(:)
    integer :: i, j, k, n, ip
    n = size(self%r,1)
    r1(1:n**3) => self%r
    v1(1:n**3) => self%v
    e = 0
!$omp parallel do private(i,j,k,ip) reduction(+:e)
    do i = 1, n
       do j = 1, n
          do k = 1, n
             ip = i + (j-1)*n + (k-1)*n*n
             v1(ip) = -0.98_dp*max(r1(ip),0.0_dp)**(1.0_dp/3)
             e = e + 0.75_dp*v1(ip)*r1(ip)
          end do
       end do
    end do
  end subroutine xc

  module subroutine profile(self, z)
    class(density_t), intent(in) :: self
    real(dp), intent(out) :: z(:)
    integer :: i, j, k
    z = 0
    do i = 1, size(self%r,1)
       do j = 1, size(self%r,2)
          do k = 1, size(self%r,3)
             z(k) = z(k) + self%r(i,j,k)
          end do
       end do
    end do
  end subroutine profile

  module subroutine start(self, g, nb, np, seed)
    class(wave_t), intent(inout) :: self
    class(grid_t), intent(in) :: g
    integer, intent(in) :: nb, np, seed
    integer :: ib, ig, ip
    self%nb = nb
    self%npw = g%npw
    allocate(self%c(g%npw,nb), self%hc(g%npw,nb), self%becp(np,nb), self%beta(g%npw,np), self%occ(nb))
    do ib = 1, nb
       do ig = 1, g%npw
          self%c(ig,ib) = cmplx(sin(0.37_dp*ig*(ib+seed)), cos(0.11_dp*ig*ib), dp)/(1 + g%gv(ig)%g2)
       end do
    end do
    do ip = 1, np
       do ig = 1, g%npw
          self%beta(ig,ip) = g%gv(ig)%sf*exp(-0.1_dp*ip*g%gv(ig)%g2)
       end do
    end do
    self%occ = 2
  end subroutine start

  module subroutine overlap(self, other, s)
    class(wave_t), intent(in) :: self
    complex(dp), intent(in) :: other(:,:)
    complex(dp), intent(out) :: s(:,:)
    integer :: i, j, ig
    s = 0
    do ig = 1, self%npw
       do j = 1, self%nb
          do i = 1, self%nb
             s(i,j) = s(i,j) + conjg(self%c(ig,i))*other(ig,j)
          end do
       end do
    end do
  end subroutine overlap

  module subroutine project(self)
    class(wave_t), intent(inout) :: self
    integer :: ib, ip
!$omp parallel do private(ip)
    do ib = 1, self%nb
       do ip = 1, size(self%beta,2)
          self%becp(ip,ib) = dot_product(self%beta(:,ip), self%c(:,ib))
       end do
    end do
  end subroutine project

  module subroutine apply_h(self, g, f, v)
    class(wave_t), intent(inout) :: self
    class(grid_t), intent(in) :: g
    class(fft_t), intent(inout) :: f
    real(dp), intent(in) :: v(:,:,:)
    integer :: ib, ig, ip, k
    do ib = 1, self%nb
       call f%scatter(g, self%c(:,ib))
       call f%transform(1)
!$omp parallel do
       do k = 1, size(v,3)
          f%box(:,:,k) = f%box(:,:,k)*v(:,:,k)
       end do
       call f%transform(-1)
       do ig = 1, self%npw
          self%hc(ig,ib) = 0.5_dp*g%gv(ig)%g2*self%c(ig,ib)
       end do
       call f%gather(g, self%hc(:,ib))
    end do
!$omp parallel do private(ig,ip)
    do ib = 1, self%nb
       do ig = 1, self%npw
          do ip = 1, size(self%beta,2)
             self%hc(ig,ib) = self%hc(ig,ib) + 0.01_dp*self%beta(ig,ip)*self%becp(ip,ib)
          end do
       end do
    end do
  end subroutine apply_h

  real(dp) function precond(g2) result(p)
    real(dp), intent(in) :: g2
    real(dp) :: x = 0
    x = g2*0.25_dp
    p = (27 + 18*x + 12*x*x)/(27 + 18*x + 12*x*x + 8*x**3)
  end function precond

  module subroutine descend(self, g, tau, res)
    class(wave_t), intent(inout) :: self
    class(grid_t), intent(in) :: g
    real(dp), intent(in) :: tau
    real(dp), intent(out) :: res(:)
    integer :: ib, ig
    real(dp) :: e, r, rmax
    complex(dp) :: d
    rmax = 0
!$omp parallel do private(ig,e,d,r)
    do ib = 1, self%nb
       e = real(dot_product(self%c(:,ib), self%hc(:,ib)))
       r = 0
       do ig = 1, self%npw
          d = self%hc(ig,ib) - e*self%c(ig,ib)
          self%c(ig,ib) = self%c(ig,ib) - tau*precond(g%gv(ig)%g2)*d
          r = r + real(conjg(d)*d,dp)
       end do
       res(ib) = r
!$omp critical
       rmax = max(rmax, res(ib))
!$omp end critical
    end do
  end subroutine descend

  module subroutine normalise(self)
    class(wave_t), intent(inout) :: self
    integer :: ib
    real(dp) :: s
!$omp parallel do private(s)
    do ib = 1, self%nb
       s = sqrt(sum(abs(self%c(:,ib))**2))
       self%c(:,ib) = self%c(:,ib)/s
    end do
  end subroutine normalise

  module subroutine weights(self, e, mu)
    class(wave_t), intent(inout) :: self
    real(dp), intent(in) :: e(:), mu
    integer :: ib
    do ib = 1, self%nb
       self%occ(ib) = 2/(1 + exp(min(50.0_dp,(e(ib) - mu)*20)))
    end do
  end subroutine weights
end submodule pw_wave_impl
