module types_m
  implicit none
  integer, parameter :: dp = kind(1.d0)
  integer, parameter :: nsp = 8          ! species
  integer, parameter :: nv  = 5 + nsp    ! conserved variables
  integer, parameter :: ng  = 1          ! ghost layers

  type bc_t
     logical :: wall
     real(dp) :: twall
     integer :: kind
     real(dp) :: vwall(3)
  end type bc_t

  ! thermodynamic state at a point
  type point_t
     real(dp) :: t, p, rho, h, cp, gam, mu, lam, a, w
     real(dp) :: x(nsp)
     integer  :: iflag
  end type point_t

  type block_t
     integer :: id, ni, nj, nk
     real(dp), allocatable :: q(:,:,:,:)     ! i,j,k,var
     real(dp), allocatable :: dq(:,:,:,:)
     real(dp), allocatable :: vol(:,:,:)
     real(dp), allocatable :: src(:,:,:,:)
     type(point_t), allocatable :: pt(:,:,:)
     type(bc_t) :: bc(6)
  end type block_t

  type droplet_t
     logical(1) :: alive
     real(dp) :: x
     integer(1) :: blk
     real(dp) :: v
     logical(1) :: wet
     real(dp) :: d
     integer(2) :: cell
     real(dp) :: temp
  end type droplet_t

  type reaction_t
     integer :: r(2), p(2)
     real(dp) :: a, b, ea
  end type reaction_t

  integer :: rank = 0, nproc = 1, left, right, comm
end module types_m
