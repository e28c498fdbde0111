module wf_types
  use, intrinsic :: iso_fortran_env, only: int8, int16
  use wf_params
  implicit none

  type :: wavefield
    integer :: nx, ny, nz
    real(wp), allocatable, dimension(:,:,:) :: vx, vy, vz
    real(wp), allocatable, dimension(:,:,:) :: sxx, syy, szz, sxy, sxz, syz
    real(wp), allocatable :: eta(:,:,:)             ! memory variable, one depth profile per column
  end type wavefield

  type :: cell
    real(wp) :: rho, vp, vs, qp, qs
    real(wp) :: lam, mu, buoy
    real(wp) :: poro, age, cohesion
    integer  :: lith, flag
  end type cell

  type :: subfault
    integer(int8)  :: comp
    real(wp)       :: moment
    integer(int16) :: i
    real(wp)       :: t0
    integer(int16) :: j
    real(wp)       :: rise
    integer(int16) :: k
    real(wp)       :: strike
  end type subfault

  type :: station
    character(len=5) :: name
    integer :: i, j, k
    logical :: mine
    real(wp) :: scale
  end type station
contains
  subroutine alloc_field(w, r)
    type(wavefield), intent(inout) :: w
    type(run_t), intent(in) :: r
    integer :: i, j
    w%nx = r%nx; w%ny = r%ny; w%nz = r%nzl
    allocate(w%vx(1-ng:r%nx+ng, 1-ng:r%ny+ng, 1-ng:r%nzl+ng))
    allocate(w%vy, w%vz, w%sxx, w%syy, w%szz, w%sxy, w%sxz, w%syz, mold=w%vx)
    w%vx = 0.0_wp; w%vy = 0.0_wp; w%vz = 0.0_wp
    w%sxx = 0.0_wp; w%syy = 0.0_wp; w%szz = 0.0_wp
    w%sxy = 0.0_wp; w%sxz = 0.0_wp; w%syz = 0.0_wp
    allocate(w%eta(r%nzl, r%ny, r%nx))
    !$omp parallel do schedule(static) private(j)
    do i = 1, r%nx
      do j = 1, r%ny
        w%eta(:, j, i) = 0.0_wp
      end do
    end do
  end subroutine alloc_field

  subroutine build_model(c, r)
    type(cell), allocatable, intent(inout) :: c(:,:,:)
    type(run_t), intent(in) :: r
    integer :: i, j, k
    real(wp) :: z
    allocate(c(0:r%nx+1, 0:r%ny+1, 0:r%nzl+1))
    do i = 0, r%nx+1
      do j = 0, r%ny+1
        do k = 0, r%nzl+1
          z = max(0.0_wp, (k + r%koff - 1)*r%h)
          c(i,j,k)%vp  = 1800.0_wp + 0.6_wp*z + merge(200.0_wp, 0.0_wp, mod(i/16 + j/16, 2) == 0)
          c(i,j,k)%vs  = c(i,j,k)%vp/1.8_wp
          c(i,j,k)%rho = 1700.0_wp + 0.2_wp*c(i,j,k)%vp
          c(i,j,k)%mu  = c(i,j,k)%rho*c(i,j,k)%vs**2
          c(i,j,k)%lam = c(i,j,k)%rho*c(i,j,k)%vp**2 - 2.0_wp*c(i,j,k)%mu
          c(i,j,k)%buoy = 1.0_wp/c(i,j,k)%rho
          c(i,j,k)%qs = 0.05_wp*c(i,j,k)%vs
          c(i,j,k)%qp = 2.0_wp*c(i,j,k)%qs
          c(i,j,k)%cohesion = 1.0e6_wp
          c(i,j,k)%poro = 0.2_wp; c(i,j,k)%age = 0.0_wp
          c(i,j,k)%lith = 1; c(i,j,k)%flag = 0
        end do
      end do
    end do
  end subroutine build_model

  subroutine build_fault(s, r)
    type(subfault), allocatable, intent(inout) :: s(:)
    type(run_t), intent(in) :: r
    integer :: n
    real(wp) :: u(3)
    allocate(s(r%nsub))
    do n = 1, r%nsub
      call random_number(u)
      s(n)%i = int(r%nx/4 + u(1)*r%nx/2, int16)
      s(n)%j = int(r%ny/2, int16)
      s(n)%k = int(1 + u(2)*r%nz*0.8_wp, int16)
      s(n)%comp = int(mod(n, 3), int8)
      s(n)%moment = 1.0e9_wp*(0.5_wp + u(3))
      s(n)%rise = 0.5_wp/r%f0
      s(n)%t0 = u(1)*0.2_wp
      s(n)%strike = 0.3_wp
    end do
  end subroutine build_fault
end module wf_types
