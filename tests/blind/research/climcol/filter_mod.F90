! zonal spectral filter poleward of 50 degrees
module filter_mod
  use state_mod
  implicit none
  integer :: nwave = 0
  real(rk), allocatable :: cm(:,:), sm(:,:), damp(:,:)

contains

  subroutine filter_setup(st)
    type(state_t), intent(in) :: st
    integer :: m, i, j
    nwave = st%nlon/3
    allocate (cm(nwave, st%nlon), sm(nwave, st%nlon), damp(nwave, st%nlat))
    do m = 1, nwave
       do i = 1, st%nlon
          cm(m,i) = cos(2*pi*m*i/st%nlon)
          sm(m,i) = sin(2*pi*m*i/st%nlon)
       end do
       do j = 1, st%nlat
          damp(m,j) = min(1.0_rk, (coslat(j)/cos(pi*50/180))/sin(pi*m/st%nlon)*0.5_rk)
       end do
    end do
  end subroutine filter_setup

  subroutine filter_field(st, a)
    type(state_t), intent(in) :: st
    real(rk), intent(inout) :: a(0:, 0:, :)
    real(rk) :: c(nwave), s(nwave), mean, fc, fs
    integer :: i, j, k, m
    !$omp parallel do private(i, k, m, c, s, mean, fc, fs) schedule(dynamic, 1)
    do j = 1, st%nlat
       if (coslat(j) > cos(pi*50/180)) cycle
       do k = 1, st%nlev
          mean = sum(a(1:st%nlon,j,k))/st%nlon
          do m = 1, nwave
             fc = 0
             fs = 0
             do i = 1, st%nlon
                fc = fc + (a(i,j,k) - mean)*cm(m,i)
                fs = fs + (a(i,j,k) - mean)*sm(m,i)
             end do
             c(m) = 2*fc/st%nlon*damp(m,j)
             s(m) = 2*fs/st%nlon*damp(m,j)
          end do
          do i = 1, st%nlon
             fc = 0
             do m = 1, nwave
                fc = fc + c(m)*cm(m,i) + s(m)*sm(m,i)
             end do
             a(i,j,k) = mean + fc
          end do
       end do
    end do
  end subroutine filter_field
end module filter_mod
