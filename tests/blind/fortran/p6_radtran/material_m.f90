module material_m
  use base_m
  implicit none
  private
  public :: material_t, grey_t, powerlaw_t, cell_t, mat_box, make_cells, update_opacity, fill_sigma

  type, abstract :: material_t
    real(wp) :: rho = 1.0_wp
  contains
    procedure(kap), deferred :: kappa
  end type material_t

  abstract interface
    function kap(this, t, g) result(k)
      import
      class(material_t), intent(in) :: this
      real(wp), intent(in) :: t
      integer, intent(in)  :: g
      real(wp) :: k
    end function kap
  end interface

  type, extends(material_t) :: grey_t
    real(wp) :: k0 = 2.0_wp
  contains
    procedure :: kappa => kappa_grey
  end type grey_t

  type, extends(material_t) :: powerlaw_t
    real(wp) :: k0 = 5.0_wp, a = 1.5_wp
  contains
    procedure :: kappa => kappa_power
  end type powerlaw_t

  type :: mat_box
    class(material_t), allocatable :: m
  end type mat_box

  type :: cell_t
    real(wp) :: temp, told, cv
    real(wp) :: rho, eint, pres
    real(wp) :: kap(8), src(8)
    real(wp) :: xc, yc, zc
    integer  :: mat, flag
  end type cell_t

contains

  function kappa_grey(this, t, g) result(k)
    class(grey_t), intent(in) :: this
    real(wp), intent(in) :: t
    integer, intent(in)  :: g
    real(wp) :: k
    k = this%k0*this%rho
  end function kappa_grey

  function kappa_power(this, t, g) result(k)
    class(powerlaw_t), intent(in) :: this
    real(wp), intent(in) :: t
    integer, intent(in)  :: g
    real(wp) :: k
    real(wp) :: tt = 0.0_wp
    tt = max(t, 0.05_wp)
    k = this%k0*this%rho*tt**(-this%a)/real(g,wp)
  end function kappa_power

  subroutine make_cells(g, cells)
    type(grid_t), intent(in) :: g
    type(cell_t), allocatable, intent(out) :: cells(:,:,:)
    integer :: i, j, k
    allocate(cells(g%nx,g%ny,g%nz))
    do i = 1, g%nx
      do j = 1, g%ny
        do k = 1, g%nz
          associate (c => cells(i,j,k))
            c%mat = merge(1, 2, mod(i/8 + k/8, 2) == 0)
            c%temp = 0.2_wp; c%told = 0.2_wp; c%cv = 1.0_wp; c%rho = 1.0_wp
            if (i < 6) c%temp = 1.0_wp
            c%xc = (i-0.5_wp)*g%dx; c%yc = (g%j0+j-0.5_wp)*g%dy; c%zc = (k-0.5_wp)*g%dz
          end associate
        end do
      end do
    end do
  end subroutine make_cells

  subroutine update_opacity(g, mats, cells)
    type(grid_t), intent(in) :: g
    type(mat_box), intent(in) :: mats(:)
    type(cell_t), intent(inout) :: cells(:,:,:)
    integer :: i, j, k, ig
    !$omp parallel do private(i,j,ig) schedule(static)
    do k = 1, g%nz
      do j = 1, g%ny
        do i = 1, g%nx
          do ig = 1, g%ng
            cells(i,j,k)%kap(ig) = mats(cells(i,j,k)%mat)%m%kappa(cells(i,j,k)%temp, ig)
          end do
        end do
      end do
    end do
  end subroutine update_opacity

  ! total cross section as the sweep wants it
  subroutine fill_sigma(g, cells, sigt)
    type(grid_t), intent(in) :: g
    type(cell_t), intent(in) :: cells(:,:,:)
    real(wp), intent(out) :: sigt(:,:,:,:)     ! (nx,ny,nz,ng)
    integer :: i, j, k, ig
    !$omp parallel do private(i,j,k)
    do ig = 1, g%ng
      do k = 1, g%nz
        do j = 1, g%ny
          do i = 1, g%nx
            sigt(i,j,k,ig) = cells(i,j,k)%kap(ig) + 0.5_wp
          end do
        end do
      end do
    end do
  end subroutine fill_sigma
end module material_m
