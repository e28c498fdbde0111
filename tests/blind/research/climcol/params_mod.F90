module params_mod
  use, intrinsic :: iso_fortran_env, only: rk => real64, int8
  implicit none
  real(rk), parameter :: pi = 3.14159265358979_rk, rearth = 6.371e6_rk, rgas = 287.0_rk, cp = 1004.0_rk, grav = 9.81_rk
  integer, parameter :: nchunk = 16

  type :: config_t
     logical  :: filter = .true.
     real(rk) :: dt = 300.0_rk, kdiff = 2.0e5_rk
     logical  :: moist = .true.
     integer  :: nlon = 144, nlat = 96, nlev = 26, ntr = 6, nsteps = 48, ndaily = 288
     real(rk) :: solar = 1361.0_rk
     character(len=40) :: title = 'aquaplanet with land'
  end type config_t
  type(config_t) :: cfg

contains

  subroutine read_config(fname)
    character(*), intent(in) :: fname
    logical  :: filter, moist
    real(rk) :: dt, kdiff, solar
    integer  :: nlon, nlat, nlev, ntr, nsteps, ndaily, lun, ios
    namelist /model/ nlon, nlat, nlev, ntr, nsteps, ndaily, dt, kdiff, solar, filter, moist
    nlon = cfg%nlon; nlat = cfg%nlat; nlev = cfg%nlev; ntr = cfg%ntr; nsteps = cfg%nsteps
    ndaily = cfg%ndaily; dt = cfg%dt; kdiff = cfg%kdiff; solar = cfg%solar
    filter = cfg%filter; moist = cfg%moist
    open (newunit=lun, file=fname, status='old', iostat=ios)
    if (ios == 0) then
       read (lun, nml=model, iostat=ios)
       close (lun)
    end if
    cfg = config_t(filter, dt, kdiff, moist, nlon, nlat, nlev, ntr, nsteps, ndaily, solar, cfg%title)
  end subroutine read_config
end module params_mod
