!-----------------------------------------------------------------------
!  Grid, masks and prognostic fields of the regional ocean model.
!  Decomposition: bands of latitude (j), one band for each task.
!  All fields carry one halo row in j and one ghost column in i.
!-----------------------------------------------------------------------
module grid
  use mpi
  implicit none
  integer, parameter :: dp = kind(1.d0)
  integer, parameter :: nx = 256, ny_glo = 192, nz = 32
  integer, parameter :: ntr = 2                 ! temperature, salinity
  integer :: ny, j0                             ! local rows, offset
  integer :: rank, nproc, south, north, comm
  real(dp), parameter :: grav = 9.81_dp, rho0 = 1025._dp, pi = 3.14159265358979_dp
  real(dp) :: dx, dt = 60._dp
  integer  :: nstep = 10, ndiag = 2

  integer,  allocatable :: kmt(:,:)             ! deepest wet level
  real(dp), allocatable :: mask(:,:,:)
  real(dp), allocatable :: dz(:), zc(:), dzr(:)
  real(dp), allocatable :: dy(:), fcor(:), coslat(:)
  real(dp), allocatable :: u(:,:,:), v(:,:,:), w(:,:,:)
  real(dp), allocatable :: rho(:,:,:), p(:,:,:)
  real(dp), allocatable :: tr(:,:,:,:)
  real(dp), allocatable :: eta(:,:), ub(:,:), vb(:,:), taux(:,:), qnet(:,:)
  real(dp), allocatable :: kv(:,:,:)
contains

  subroutine decomp_init
    integer :: ierr
    comm = MPI_COMM_WORLD
    call MPI_Comm_rank(comm, rank, ierr)
    call MPI_Comm_size(comm, nproc, ierr)
    ny = ny_glo/nproc
    j0 = rank*ny
    if (rank == nproc-1) ny = ny_glo - j0
    south = rank-1; if (south < 0) south = MPI_PROC_NULL
    north = rank+1; if (north >= nproc) north = MPI_PROC_NULL
  end subroutine decomp_init

  subroutine fields_alloc
    allocate(kmt(0:nx+1,0:ny+1), mask(0:nx+1,0:ny+1,nz))
    allocate(dz(nz), zc(nz), dzr(nz), dy(0:ny+1), fcor(0:ny+1), coslat(0:ny+1))
    allocate(u(0:nx+1,0:ny+1,nz), v(0:nx+1,0:ny+1,nz), w(0:nx+1,0:ny+1,nz))
    allocate(rho(0:nx+1,0:ny+1,nz), p(0:nx+1,0:ny+1,nz), kv(0:nx+1,0:ny+1,nz))
    allocate(tr(0:nx+1,0:ny+1,nz,ntr))
    allocate(eta(0:nx+1,0:ny+1), ub(0:nx+1,0:ny+1), vb(0:nx+1,0:ny+1))
    allocate(taux(0:nx+1,0:ny+1), qnet(0:nx+1,0:ny+1))
    u = 0._dp
    v = 0._dp; w = 0._dp
    p = 0._dp; kv = 1.e-4_dp
    eta = 0._dp; ub = 0._dp; vb = 0._dp
    taux = 0._dp; qnet = 0._dp
    dz = 50._dp
  end subroutine fields_alloc

  subroutine fields_init
    integer :: i, j, k
    real(dp) :: lat, d
    zc(1) = 0.5_dp*dz(1)
    do k = 2, nz
       zc(k) = zc(k-1) + 0.5_dp*(dz(k)+dz(k-1))
    end do
    dzr = 1._dp/dz
    dx = 10.e3_dp
    do j = 0, ny+1
       lat = 20._dp + 40._dp*real(j0+j,dp)/ny_glo
       dy(j) = 10.e3_dp
       fcor(j) = 1.458e-4_dp*sin(lat*pi/180._dp)
       coslat(j) = cos(lat*pi/180._dp)
    end do
    do i = 0, nx+1
       do j = 0, ny+1
          d = 0.5_dp + 0.5_dp*sin(3._dp*pi*i/nx)*sin(2._dp*pi*(j0+j)/ny_glo)
          kmt(i,j) = max(0, min(nz, nint(nz*d)))
       end do
    end do
!$omp parallel do private(i,j)
    do k = 1, nz
       do j = 0, ny+1
          do i = 0, nx+1
             mask(i,j,k) = merge(1._dp, 0._dp, k <= kmt(i,j))
             tr(i,j,k,1) = 4._dp + 18._dp*exp(-zc(k)/300._dp)
             tr(i,j,k,2) = 35._dp
             rho(i,j,k)  = rho0
          end do
       end do
    end do
!$omp end parallel do
    do j = 40, min(60,ny)
       tr(100:120,j,1:4,1) = tr(100:120,j,1:4,1) + 1._dp
    end do
  end subroutine fields_init
end module grid
