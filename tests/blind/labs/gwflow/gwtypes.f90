! Kinds, derived types and storage shared by the flow packages.
module gw_types
  implicit none
  integer, parameter :: dp = kind(1.d0)
  integer, parameter :: mxc = 1024, mxr = 1024   ! limits of the EVT arrays
  integer, parameter :: nzone = 12
  type grid_t
     integer :: nc = 0, nr = 0, nl = 0           ! global columns, rows, layers
     integer :: nrl = 0, r0 = 0                  ! local rows, rows before them
     real(dp) :: dx = 50.d0, dy = 50.d0
     real(dp), allocatable :: top(:,:), bot(:,:,:)
     integer, allocatable :: ibound(:,:,:), izone(:,:,:)
  end type grid_t
  type layer_t
     logical :: convertible = .false.
     real(dp) :: ss = 1.d-5, sy = 0.15d0, vka = 0.1d0
     real(dp), allocatable :: hk(:,:), sat(:,:)
  end type layer_t
  type well_t
     character(len=24) :: name = ' '
     integer :: ic = 0, ir = 0, il = 0
     logical :: active = .true.
     real(dp) :: q = 0.d0, qmin = 0.d0, radius = 0.15d0, skin = 0.d0, hwell = 0.d0
  end type well_t
  type reach_t
     integer :: ic, ir, il
     real(dp) :: stage, cond, rbot, q
  end type reach_t
  type part_t
     real(dp) :: x, y, z
     real(dp) :: vx = 0.d0, vy = 0.d0, vz = 0.d0
     real(dp) :: x0, y0, z0
     real(dp) :: trelease = 0.d0, path = 0.d0, age = 0.d0
     real(dp) :: mass(6) = 1.d0
     integer  :: istat = 1, izone = 1
  end type part_t
  type(grid_t), save :: g
  type(layer_t), allocatable, save :: lay(:)
  type(well_t), allocatable, save :: wells(:)
  type(reach_t), allocatable, save :: reaches(:)
  type(part_t), allocatable, save :: parts(:)
  ! conductances and system arrays, one ghost cell all round
  real(dp), allocatable, save :: cr(:,:,:), cc(:,:,:), cv(:,:,:)
  real(dp), allocatable, save :: hcof(:,:,:), rhs(:,:,:), hnew(:,:,:), hold(:,:,:)
end module gw_types
