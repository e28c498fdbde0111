module pw_grid
  use pw_par
  implicit none
  private
  public :: grid_t, gvec_t, kernel_i, coulomb

  type :: gvec_t
     integer :: m(3) = 0
     real(dp) :: g(3) = 0, g2 = 0
     integer :: shell = 0, pos = 0
     complex(dp) :: sf = (0,0)
  end type gvec_t

  type :: grid_t
     integer :: n(3) = 0, npw = 0
     real(dp) :: ecut = 0
     type(gvec_t), allocatable :: gv(:)
     real(dp), allocatable :: vloc(:,:,:)
     integer, allocatable :: pos(:)
   contains
     procedure :: setup
     procedure :: npts
     procedure :: hartree
     procedure :: kinetic
  end type grid_t

  abstract interface
     pure function kernel_i(g2) result(v)
       import :: dp
       real(dp), intent(in) :: g2
       real(dp) :: v
     end function kernel_i
  end interface
contains
  pure function coulomb(g2) result(v)
    real(dp), intent(in) :: g2
    real(dp) :: v
    v = 0
    if (g2 > 1.0e-8_dp) v = 12.566_dp/g2
  end function coulomb

  integer function npts(self)
    class(grid_t), intent(in) :: self
    npts = product(self%n)
  end function npts

  subroutine setup(self, n, ecut)
    class(grid_t), intent(inout) :: self
    integer, intent(in) :: n
    real(dp), intent(in) :: ecut
    integer :: i, j, k, m(3), pass, cnt
    real(dp) :: g2
    self%n = n
    self%ecut = ecut
    do pass = 1, 2
       cnt = 0
       do k = 1, n
          do j = 1, n
             do i = 1, n
                m = [i, j, k] - 1
                where (m > n/2) m = m - n
                g2 = sum(real(m,dp)**2)
                if (g2 > ecut) cycle
                cnt = cnt + 1
                if (pass == 2) then
                   self%gv(cnt)%m = m
                   self%gv(cnt)%g = m
                   self%gv(cnt)%g2 = g2
                   self%gv(cnt)%pos = i + n*(j-1) + n*n*(k-1)
                   self%gv(cnt)%shell = nint(g2)
                   self%gv(cnt)%sf = exp(cmplx(0, 0.1_dp*sum(m), dp))
                   self%pos(cnt) = self%gv(cnt)%pos
                end if
             end do
          end do
       end do
       if (pass == 1) allocate(self%gv(cnt), self%pos(cnt))
    end do
    self%npw = cnt
    allocate(self%vloc(n,n,n))
!$omp parallel do private(i,j) schedule(static)
    do k = 1, n
       do j = 1, n
          do i = 1, n
             self%vloc(i,j,k) = -1.0_dp/(1 + (i-n/2)**2 + (j-n/2)**2 + (k-n/2)**2)
          end do
       end do
    end do
  end subroutine setup

  ! density in G space to potential
  subroutine hartree(self, rg, vg, kern, e)
    class(grid_t), intent(in) :: self
    complex(dp), intent(in) :: rg(:)
    complex(dp), intent(out) :: vg(:)
    procedure(kernel_i) :: kern
    real(dp), intent(out) :: e
    integer :: ig
    e = 0
    do ig = 1, self%npw
       vg(ig) = kern(self%gv(ig)%g2)*rg(ig)
       e = e + real(conjg(rg(ig))*vg(ig),dp)
    end do
  end subroutine hartree

  real(dp) function kinetic(self, c) result(e)
    class(grid_t), intent(in) :: self
    complex(dp), intent(in) :: c(:)
    integer :: ig
    e = 0
    do ig = 1, self%npw
       e = e + 0.5_dp*self%gv(ig)%g2*real(conjg(c(ig))*c(ig),dp)
    end do
  end function kinetic
end module pw_grid
