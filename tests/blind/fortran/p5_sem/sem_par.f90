!=====================================================================
!  s e m 3 d   spectral element wave propagation in a box
!  shared variables
!=====================================================================
module sem_par
  use mpi
  implicit none
  integer, parameter :: CUSTOM = 8, NDIM = 3, NGLLX = 5, NGLL3 = NGLLX**3, NSLS = 3
  integer, parameter :: NEX = 14, NEY = 14
  integer :: NEZ = 12                          ! elements in z, all tasks
  integer :: nez_loc, nspec, nglob, npx, npy, npz
  integer :: myrank, sizeprocs
  integer :: NSTEP = 12, NFRAME = 4
  real(CUSTOM) :: deltat = 1.d-3

  ! quantities of the points of the elements
  integer, allocatable :: ibool(:,:,:,:)
  real(CUSTOM), allocatable :: jacobian(:,:,:,:), mustore(:,:,:,:), kappastore(:,:,:,:)
  real(CUSTOM), allocatable :: qmu(:,:)        ! (nspec,NGLL3)
  real(CUSTOM), allocatable :: rmem(:,:,:)     ! (nspec,NGLL3,NSLS)
  real(CUSTOM), allocatable :: xix(:,:,:,:)    ! (nspec,i,j,k)
  real(CUSTOM) :: hprime(NGLLX,NGLLX), hw(NGLLX,NGLLX), wgll(NGLLX), xigll(NGLLX)

  ! global fields
  real(CUSTOM), allocatable :: displ(:,:), veloc(:,:), accel(:,:), rmass(:)
  real(CUSTOM), allocatable :: xs(:), ys(:), zs(:)

  ! colours: elements of one colour share no point
  integer :: ncolors
  integer, allocatable :: perm(:), first_elem(:)
  logical, allocatable :: is_outer(:)

  ! interfaces with the tasks below and above
  integer :: nibot, nitop, rbot, rtop
  integer, allocatable :: ipbot(:), iptop(:)

  type station
     character(len=8) :: name
     integer :: ispec, iglob
     real(CUSTOM) :: x, y, z
     real(CUSTOM) :: hx(NGLLX), hy(NGLLX), hz(NGLLX)
  end type station
  type(station), allocatable :: sta(:)
  integer :: nrec
  real(CUSTOM), allocatable :: seis(:,:,:)     ! (NDIM,nrec,NSTEP)

  ! coarse correction (gravity potential), dense factor
  integer, parameter :: nco = 320
  real(CUSTOM) :: lco(nco,nco), bco(nco), xco(nco)
end module sem_par
