module state_mod
  use params_mod
  implicit none

  type :: state_t
     integer :: nlon, nlat, nlev, ntr, j0
     real(rk), allocatable :: u(:,:,:), v(:,:,:), t(:,:,:), phi(:,:,:)
     real(rk), allocatable :: q(:,:,:,:)          ! lon, lat, lev, tracer
     real(rk), allocatable :: ps(:,:), rain(:,:)
  end type state_t

  type :: land_t
     integer(int8) :: veg = 1
     real(rk)      :: ts = 285.0_rk
     logical(1)    :: snow = .false.
     real(rk)      :: wet = 0.5_rk
     integer       :: i = 0
     real(rk)      :: flux = 0.0_rk
     integer(int8) :: soil = 1
     integer       :: j = 0
  end type land_t

  type :: band_t
     real(rk) :: absw, absc, frac
     integer  :: kind
  end type band_t

  type(land_t), allocatable :: land(:)
  type(band_t) :: bands(8)
  real(rk), allocatable :: sig(:), dsig(:), coslat(:), sinlat(:)

contains

  subroutine state_create(st, j0, nlat)
    type(state_t), intent(out) :: st
    integer, intent(in) :: j0, nlat
    integer :: i, j, k, n, nl
    st%nlon = cfg%nlon; st%nlat = nlat; st%nlev = cfg%nlev; st%ntr = cfg%ntr; st%j0 = j0
    allocate (st%u(0:st%nlon+1, 0:nlat+1, st%nlev), st%v(0:st%nlon+1, 0:nlat+1, st%nlev))
    allocate (st%t(0:st%nlon+1, 0:nlat+1, st%nlev), st%phi(0:st%nlon+1, 0:nlat+1, st%nlev))
    allocate (st%q(0:st%nlon+1, 0:nlat+1, st%nlev, st%ntr), st%ps(0:st%nlon+1, 0:nlat+1), st%rain(st%nlon, nlat))
    allocate (sig(st%nlev), dsig(st%nlev), coslat(0:nlat+1), sinlat(0:nlat+1))
    dsig = 1.0_rk/st%nlev
    sig = [((k - 0.5_rk)/st%nlev, k=1, st%nlev)]
    do j = 0, nlat + 1
       sinlat(j) = sin(pi*((j0 + j - 0.5_rk)/cfg%nlat - 0.5_rk))
       coslat(j) = max(cos(pi*((j0 + j - 0.5_rk)/cfg%nlat - 0.5_rk)), 0.02_rk)
    end do
    bands = [(band_t(0.02_rk*n, 0.1_rk/n, 0.125_rk, mod(n, 2)), n=1, 8)]
    ! latitude rows belong to the same thread here and in the kernels
    !$omp parallel do private(i, k, n) schedule(static)
    do j = 0, nlat + 1
       do k = 1, st%nlev
          do i = 0, st%nlon + 1
             st%u(i,j,k) = 25.0_rk*coslat(j)*(1 - sig(k))
             st%v(i,j,k) = 2.0_rk*sin(4*pi*i/st%nlon)*coslat(j)
             st%t(i,j,k) = (300 - 40*sinlat(j)**2)*sig(k)**0.19_rk + cos(6*pi*i/st%nlon)*coslat(j)
             st%phi(i,j,k) = 0
          end do
       end do
       do n = 1, st%ntr
          do k = 1, st%nlev
             st%q(:,j,k,n) = 0.012_rk*sig(k)**3*coslat(j)/n
          end do
       end do
       st%ps(:,j) = 1.0e5_rk
    end do
    st%rain = 0
    nl = 0
    allocate (land(st%nlon*nlat))
    do i = 1, st%nlon
       do j = 1, nlat
          if (sin(3*2*pi*i/st%nlon)*coslat(j) + 0.4_rk*sinlat(j) > 0.35_rk) then
             nl = nl + 1
             land(nl)%i = i; land(nl)%j = j; land(nl)%ts = st%t(i,j,st%nlev)
          end if
       end do
    end do
    land = land(1:nl)
  end subroutine state_create
end module state_mod
