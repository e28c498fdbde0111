module wf_kernels
  use wf_types
  implicit none
contains
  subroutine step_horizontal(w, c, dth)
    type(wavefield), intent(inout) :: w
    type(cell), intent(in) :: c(0:,0:,0:)
    real(wp), intent(in) :: dth
    integer :: i, j, k
    !$omp parallel private(i, j, k)
    !$omp do collapse(2) schedule(static)
    do k = 1, w%nz
      do j = 1, w%ny
        do i = 1, w%nx
          w%vx(i,j,k) = w%vx(i,j,k) + dth*c(i,j,k)%buoy*( &
              c1*(w%sxx(i+1,j,k) - w%sxx(i,j,k)) + c2*(w%sxx(i+2,j,k) - w%sxx(i-1,j,k)) + &
              c1*(w%sxy(i,j,k) - w%sxy(i,j-1,k)) + c2*(w%sxy(i,j+1,k) - w%sxy(i,j-2,k)) + &
              c1*(w%sxz(i,j,k) - w%sxz(i,j,k-1)) + c2*(w%sxz(i,j,k+1) - w%sxz(i,j,k-2)))
        end do
      end do
    end do
    !$omp end do nowait
    !$omp do collapse(2) schedule(static)
    do k = 1, w%nz
      do j = 1, w%ny
        do i = 1, w%nx
          w%vy(i,j,k) = w%vy(i,j,k) + dth*c(i,j,k)%buoy*( &
              c1*(w%sxy(i,j,k) - w%sxy(i-1,j,k)) + c2*(w%sxy(i+1,j,k) - w%sxy(i-2,j,k)) + &
              c1*(w%syy(i,j+1,k) - w%syy(i,j,k)) + c2*(w%syy(i,j+2,k) - w%syy(i,j-1,k)) + &
              c1*(w%syz(i,j,k) - w%syz(i,j,k-1)) + c2*(w%syz(i,j,k+1) - w%syz(i,j,k-2)))
        end do
      end do
    end do
    !$omp end parallel
  end subroutine step_horizontal

  ! vertical velocity, written for the column solver of the implicit version
  subroutine step_vertical(w, c, dth)
    type(wavefield), intent(inout) :: w
    type(cell), intent(in) :: c(0:,0:,0:)
    real(wp), intent(in) :: dth
    integer :: i, j, k
    real(wp) :: dz, dxy
    !$omp parallel do private(i, k, dz, dxy)
    do j = 1, w%ny
      do i = 1, w%nx
        do k = 1, w%nz
          dz = c1*(w%szz(i,j,k+1) - w%szz(i,j,k)) + c2*(w%szz(i,j,k+2) - w%szz(i,j,k-1))
          dxy = c1*(w%sxz(i,j,k) - w%sxz(i-1,j,k)) + c2*(w%sxz(i+1,j,k) - w%sxz(i-2,j,k)) + &
                c1*(w%syz(i,j,k) - w%syz(i,j-1,k)) + c2*(w%syz(i,j+1,k) - w%syz(i,j-2,k))
          w%vz(i,j,k) = w%vz(i,j,k) + dth*c(i,j,k)%buoy*(dz + dxy)
        end do
      end do
    end do
  end subroutine step_vertical

  subroutine step_normal(w, c, dth)
    type(wavefield), intent(inout) :: w
    type(cell), intent(in) :: c(0:,0:,0:)
    real(wp), intent(in) :: dth
    integer :: i, j, k
    real(wp) :: exx, eyy, ezz, l2m, tr
    !$omp parallel do default(shared) private(i, j, exx, eyy, l2m, tr)
    do k = 1, w%nz
      do j = 1, w%ny
        do i = 1, w%nx
          exx = c1*(w%vx(i,j,k) - w%vx(i-1,j,k)) + c2*(w%vx(i+1,j,k) - w%vx(i-2,j,k))
          eyy = c1*(w%vy(i,j,k) - w%vy(i,j-1,k)) + c2*(w%vy(i,j+1,k) - w%vy(i,j-2,k))
          ezz = c1*(w%vz(i,j,k) - w%vz(i,j,k-1)) + c2*(w%vz(i,j,k+1) - w%vz(i,j,k-2))
          l2m = c(i,j,k)%lam + 2.0_wp*c(i,j,k)%mu
          tr = exx + eyy + ezz
          w%eta(k,j,i) = 0.98_wp*w%eta(k,j,i) + 0.02_wp*tr
          tr = tr - 0.1_wp*w%eta(k,j,i)
          w%sxx(i,j,k) = w%sxx(i,j,k) + dth*(c(i,j,k)%lam*tr + (l2m - c(i,j,k)%lam)*exx)
          w%syy(i,j,k) = w%syy(i,j,k) + dth*(c(i,j,k)%lam*tr + (l2m - c(i,j,k)%lam)*eyy)
          w%szz(i,j,k) = w%szz(i,j,k) + dth*(c(i,j,k)%lam*tr + (l2m - c(i,j,k)%lam)*ezz)
        end do
      end do
    end do
  end subroutine step_normal

  subroutine step_shear(w, c, dth)
    type(wavefield), intent(inout) :: w
    type(cell), intent(in) :: c(0:,0:,0:)
    real(wp), intent(in) :: dth
    integer :: i, j, k
    real(wp), external :: harm4
    !$omp parallel do collapse(2) schedule(dynamic,1) private(i)
    do k = 1, w%nz
      do j = 1, w%ny
        do i = 1, w%nx
          w%sxy(i,j,k) = w%sxy(i,j,k) + dth*c(i,j,k)%mu*( &
              c1*(w%vx(i,j+1,k) - w%vx(i,j,k)) + c2*(w%vx(i,j+2,k) - w%vx(i,j-1,k)) + &
              c1*(w%vy(i+1,j,k) - w%vy(i,j,k)) + c2*(w%vy(i+2,j,k) - w%vy(i-1,j,k)))
          w%sxz(i,j,k) = w%sxz(i,j,k) + dth*c(i,j,k)%mu*( &
              c1*(w%vx(i,j,k+1) - w%vx(i,j,k)) + c2*(w%vx(i,j,k+2) - w%vx(i,j,k-1)) + &
              c1*(w%vz(i+1,j,k) - w%vz(i,j,k)) + c2*(w%vz(i+2,j,k) - w%vz(i-1,j,k)))
        end do
      end do
    end do
    do k = 1, w%nz
      !$omp parallel do private(i) schedule(static)
      do j = 1, w%ny
        do i = 1, w%nx
          w%syz(i,j,k) = w%syz(i,j,k) + dth* &
              harm4(c(i,j,k)%mu, c(i,j+1,k)%mu, c(i,j,k+1)%mu, c(i,j+1,k+1)%mu)*( &
              c1*(w%vy(i,j,k+1) - w%vy(i,j,k)) + c2*(w%vy(i,j,k+2) - w%vy(i,j,k-1)) + &
              c1*(w%vz(i,j+1,k) - w%vz(i,j,k)) + c2*(w%vz(i,j+2,k) - w%vz(i,j-1,k)))
        end do
      end do
      !$omp end parallel do
    end do
  end subroutine step_shear

  ! images of the stresses above z = 0
  subroutine free_surface(w)
    type(wavefield), intent(inout) :: w
    integer :: i, j
    !$omp parallel do private(i)
    do j = 1-ng, w%ny+ng
      do i = 1-ng, w%nx+ng
        w%szz(i,j,1) = 0.0_wp
        w%szz(i,j,0) = -w%szz(i,j,2)
        w%sxz(i,j,0) = -w%sxz(i,j,1)
        w%syz(i,j,0) = -w%syz(i,j,1)
      end do
    end do
  end subroutine free_surface

  subroutine inject(w, s, t, f0, koff)
    type(wavefield), intent(inout) :: w
    type(subfault), intent(in) :: s(:)
    real(wp), intent(in) :: t, f0
    integer, intent(in) :: koff
    real(wp), external :: ricker
    real(wp) :: a
    integer :: n, k
    !$omp parallel do private(k, a) schedule(dynamic,512)
    do n = 1, size(s)
      k = s(n)%k - koff
      if (k < 1 .or. k > w%nz) cycle
      if (abs(t - s(n)%t0 - s(n)%rise) > 2.0_wp*s(n)%rise) cycle
      a = s(n)%moment*ricker(t - s(n)%t0 - s(n)%rise, f0)
      !$omp critical (inject_add)
      select case (s(n)%comp)
      case (0)
        w%sxy(s(n)%i, s(n)%j, k) = w%sxy(s(n)%i, s(n)%j, k) + a
      case (1)
        w%sxz(s(n)%i, s(n)%j, k) = w%sxz(s(n)%i, s(n)%j, k) + a*sin(s(n)%strike)
      case default
        w%syy(s(n)%i, s(n)%j, k) = w%syy(s(n)%i, s(n)%j, k) + 0.1_wp*a
      end select
      !$omp end critical (inject_add)
    end do
  end subroutine inject
end module wf_kernels
