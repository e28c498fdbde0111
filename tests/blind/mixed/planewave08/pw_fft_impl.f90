submodule (pw_fft) pw_fft_impl
  implicit none
contains
  module subroutine plan(self, n)
    class(fft_t), intent(inout) :: self
    integer, intent(in) :: n
    integer :: i, b, j, lg
    self%n = n
    allocate(self%tw(0:n-1), self%rev(n))
    allocate(self%box(n,n,n))
    self%box = 0
    lg = nint(log(real(n))/log(2.0))
    do i = 0, n-1
       self%tw(i) = exp(cmplx(0, -2*acos(-1.0_dp)*i/n, dp))
       j = 0
       do b = 0, lg-1
          if (btest(i,b)) j = ibset(j, lg-1-b)
       end do
       self%rev(i+1) = j + 1
    end do
  end subroutine plan

  module subroutine line(self, x, sgn)
    class(fft_t), intent(in) :: self
    complex(dp), intent(inout) :: x(:)
    integer, intent(in) :: sgn
    integer :: i, j, h, s, k
    complex(dp) :: t, w
    do i = 1, self%n
       j = self%rev(i)
       if (j > i) then
          t = x(i); x(i) = x(j); x(j) = t
       end if
    end do
    h = 1
    do while (h < self%n)
       s = self%n/(2*h)
       do i = 1, self%n, 2*h
          do k = 0, h-1
             w = self%tw(k*s)
             if (sgn > 0) w = conjg(w)
             t = w*x(i+k+h)
             x(i+k+h) = x(i+k) - t
             x(i+k) = x(i+k) + t
          end do
       end do
       h = 2*h
    end do
  end subroutine line

  module subroutine transform(self, sgn)
    class(fft_t), intent(inout) :: self
    integer, intent(in) :: sgn
    complex(dp) :: w(self%n), wk(self%n,8)
    integer :: i, j, k, n, ii
    n = self%n
    do k = 1, n
!$omp parallel do private(j)
       do j = 1, n
          call self%line(self%box(:,j,k), sgn)
       end do
    end do
!$omp parallel do private(i,j,w) schedule(static)
    do k = 1, n
       do i = 1, n
          do j = 1, n
             w(j) = self%box(i,j,k)
          end do
          call self%line(w, sgn)
          self%box(i,:,k) = w
       end do
    end do
!$omp parallel do private(i,ii,k,wk) schedule(static)
    do j = 1, n
       do i = 1, n, 8
          do k = 1, n
             do ii = 0, 7
                wk(k,ii+1) = self%box(i+ii,j,k)
             end do
          end do
          do ii = 1, 8
             call self%line(wk(:,ii), sgn)
          end do
          do k = 1, n
             do ii = 0, 7
                self%box(i+ii,j,k) = wk(k,ii+1)
             end do
          end do
       end do
    end do
    if (sgn < 0) self%box = self%box/real(n,dp)**3
  end subroutine transform

  module subroutine scatter(self, g, c)
    class(fft_t), intent(inout), target :: self
    class(grid_t), intent(in) :: g
    complex(dp), intent(in) :: c(:)
    complex(dp), pointer :: p(:)
    integer :: ig
    p(1:g%npts()) => self%box
!$omp parallel do
    do ig = 1, g%npts()
       p(ig) = 0
    end do
!$omp parallel do
    do ig = 1, g%npw
       p(g%pos(ig)) = c(ig)
    end do
  end subroutine scatter

  module subroutine gather(self, g, c)
    class(fft_t), intent(in), target :: self
    class(grid_t), intent(in) :: g
    complex(dp), intent(inout) :: c(:)
    complex(dp), pointer :: p(:)
    integer :: ig
    p(1:g%npts()) => self%box
!$omp parallel do schedule(dynamic,1)
    do ig = 1, g%npw
       c(ig) = c(ig) + p(g%pos(ig))
    end do
  end subroutine gather
end submodule pw_fft_impl
