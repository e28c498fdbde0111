module wf_absorb
  use wf_types
  implicit none
  real(wp), allocatable, save :: gx(:), gy(:), gz(:), qfz(:)
contains
  subroutine absorb_setup(r, c)
    type(run_t), intent(in) :: r
    type(cell), intent(in) :: c(0:,0:,0:)
    real(wp), external :: qfac
    integer :: k
    allocate(gx(r%nx), gy(r%ny), gz(r%nzl), qfz(r%nzl))
    gx = [(taper(k, r%nx, r%nabs), k = 1, r%nx)]
    gy = [(taper(k, r%ny, r%nabs), k = 1, r%ny)]
    do k = 1, r%nzl
      gz(k) = 1.0_wp
      if (k + r%koff > r%nz - r%nabs) gz(k) = exp(-(0.015_wp*(k + r%koff - r%nz + r%nabs))**2)
      qfz(k) = qfac(c(1,1,k)%qs)
    end do
  end subroutine absorb_setup

  pure real(wp) function taper(i, n, na)
    integer, intent(in) :: i, n, na
    integer :: d
    d = max(na - i + 1, i - (n - na), 0)
    taper = exp(-(0.015_wp*d)**2)
  end function taper

  ! Cerjan sponge on one field
  subroutine sponge(f, nx, ny, nz)
    real(wp), intent(inout) :: f(1-ng:,1-ng:,1-ng:)
    integer, intent(in) :: nx, ny, nz
    integer :: i, j, k
    real(wp) :: a, b
    !$omp parallel do private(j, k, a, b) schedule(static)
    do i = 1, nx
      a = gx(i)
      do j = 1, ny
        b = a*gy(j)
        if (b > 0.999999_wp) then
          f(i,j,1:nz) = f(i,j,1:nz)*gz(1:nz)
        else
          do k = 1, nz
            f(i,j,k) = f(i,j,k)*b*gz(k)
          end do
        end if
      end do
    end do
  end subroutine sponge

  ! rigid side walls: one column of ghosts per row
  subroutine side_walls(f, nx, ny, nz)
    real(wp), intent(inout) :: f(1-ng:,1-ng:,1-ng:)
    integer, intent(in) :: nx, ny, nz
    integer :: j, k
    !$omp parallel do private(j)
    do k = 1, nz
      do j = 1, ny
        f(0,j,k) = f(1,j,k)
        f(nx+1,j,k) = f(nx,j,k)
      end do
      f(:,0,k) = f(:,1,k)
      f(:,ny+1,k) = f(:,ny,k)
    end do
  end subroutine side_walls

  ! Cap the deviator with the overburden (Drucker-Prager, return in one step).
  subroutine yield_limit(w, c, load)
    type(wavefield), intent(inout) :: w
    type(cell), intent(in) :: c(0:,0:,0:)
    real(wp), intent(in) :: load(w%nx, w%ny)
    real(wp) :: dev, cap
    integer :: i, j, k
    do k = 1, w%nz
      do j = 1, w%ny
        do i = 1, w%nx
          cap = c(i,j,k)%cohesion + 0.5_wp*load(i,j) + 1.0e4_wp*k
          dev = sqrt(w%sxy(i,j,k)**2 + w%sxz(i,j,k)**2 + w%syz(i,j,k)**2)
          if (dev > cap) then
            w%sxy(i,j,k) = w%sxy(i,j,k)*cap/dev
            w%sxz(i,j,k) = w%sxz(i,j,k)*cap/dev
            w%syz(i,j,k) = w%syz(i,j,k)*cap/dev
          end if
        end do
      end do
    end do
  end subroutine yield_limit

  ! five-point low pass of a line, in place
  subroutine lowpass(a, n)
    integer, intent(in) :: n
    real(wp), intent(inout) :: a(n)
    real(wp) :: old1, keep
    integer :: i
    old1 = a(1)
    do i = 2, n-1
      keep = a(i)
      a(i) = 0.25_wp*(old1 + 2.0_wp*keep + a(i+1))
      old1 = keep
    end do
  end subroutine lowpass

  subroutine smooth_frame(w, nabs)
    type(wavefield), intent(inout) :: w
    integer, intent(in) :: nabs
    integer :: i, j, k
    !$omp parallel do private(j)
    do k = 1, w%nz
      do j = 1, nabs
        call lowpass(w%vx(1:w%nx,j,k), w%nx)
      end do
    end do
    !$omp parallel do private(i)
    do j = 1, w%ny
      do i = 1, nabs
        call lowpass(w%vx(i,j,1:w%nz), w%nz)
      end do
    end do
  end subroutine smooth_frame
end module wf_absorb
