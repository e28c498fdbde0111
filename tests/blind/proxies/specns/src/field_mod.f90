! decomposition, storage of the fields and of the mode table
module field_mod
  use kinds
  use mpi
  implicit none

  type :: dom_t
     integer :: n = 0, nzl = 0, nyl = 0, k0 = 0, j0 = 0
     integer :: comm = 0, me = 0, np = 1
  end type dom_t

  ! everything that belongs to one wave vector
  type :: mode_t
     integer(i1) :: keep
     real(dp)    :: kx, ky, kz
     integer     :: shell
     real(dp)    :: k2
     integer(i1) :: forced
     real(dp)    :: visc
     integer     :: rank
     real(dp)    :: weight
  end type mode_t

  type :: state_t
     complex(dp), allocatable :: uh(:,:,:,:)      ! (kz, kx, ky, comp)
     complex(dp), allocatable :: rhs(:,:,:,:)
     complex(dp), allocatable :: phys(:,:,:,:)    ! (x, y, z, 6)
     complex(dp), allocatable :: spec(:,:,:)
     type(mode_t), allocatable :: md(:,:,:)
  end type state_t

contains

  subroutine dom_create(d, n)
    type(dom_t), intent(out) :: d
    integer, intent(in) :: n
    integer :: ierr
    d%comm = MPI_COMM_WORLD
    call MPI_Comm_rank(d%comm, d%me, ierr)
    call MPI_Comm_size(d%comm, d%np, ierr)
    d%n = n
    d%nzl = n/d%np
    d%nyl = n/d%np
    d%k0 = d%me*d%nzl
    d%j0 = d%me*d%nyl
  end subroutine dom_create

  pure integer function wave(i, n)
    integer, intent(in) :: i, n
    wave = i - 1
    if (wave > n/2) wave = wave - n
  end function wave

  subroutine state_create(s, d, nu, dt)
    type(state_t), intent(inout) :: s
    type(dom_t), intent(in) :: d
    real(dp), intent(in) :: nu, dt
    integer :: i, j, k, kx, ky, kz, n
    n = d%n
    allocate(s%uh(n, n, d%nyl, 3), s%rhs(n, n, d%nyl, 3))
    allocate(s%phys(n, n, d%nzl, 6), s%spec(n, n, d%nyl))
    allocate(s%md(n, n, d%nyl))
    s%uh = (0.0_dp, 0.0_dp)
    s%rhs = (0.0_dp, 0.0_dp)
    !$omp parallel do private(i, j)
    do k = 1, d%nzl
       do j = 1, n
          do i = 1, n
             s%phys(i, j, k, :) = (0.0_dp, 0.0_dp)
          end do
       end do
    end do
    !$omp parallel do private(i, k, kx, ky, kz)
    do j = 1, d%nyl
       ky = wave(d%j0 + j, n)
       do i = 1, n
          kx = wave(i, n)
          do k = 1, n
             kz = wave(k, n)
             associate (m => s%md(k, i, j))
               m%kx = kx; m%ky = ky; m%kz = kz
               m%k2 = real(kx*kx + ky*ky + kz*kz, dp)
               m%shell = nint(sqrt(m%k2))
               m%keep = 1
               if (max(abs(kx), abs(ky), abs(kz)) > n/3) m%keep = 0
               m%forced = 0
               if (m%shell > 0 .and. m%shell <= 2) m%forced = 1
               m%visc = exp(-nu*m%k2*dt)
               m%rank = d%me
               m%weight = 1.0_dp
             end associate
          end do
       end do
    end do
  end subroutine state_create

  ! random solenoidal start
  subroutine state_init(s, d)
    type(state_t), intent(inout) :: s
    type(dom_t), intent(in) :: d
    integer :: i, j, k, c
    real(dp) :: a, ph, k2
    complex(dp) :: dot, u(3)
    do j = 1, d%nyl
       do i = 1, d%n
          do k = 1, d%n
             k2 = s%md(k, i, j)%k2
             if (k2 < 0.5_dp .or. s%md(k, i, j)%keep == 0) cycle
             a = k2*exp(-k2/8.0_dp)
             do c = 1, 3
                ph = 6.0_dp*sin(12.9898_dp*k + 78.233_dp*i + 37.719_dp*(j + d%j0) + 4.1_dp*c)
                u(c) = a*exp(iu*ph)
             end do
             dot = (s%md(k, i, j)%kx*u(1) + s%md(k, i, j)%ky*u(2) + s%md(k, i, j)%kz*u(3))/k2
             s%uh(k, i, j, 1) = u(1) - s%md(k, i, j)%kx*dot
             s%uh(k, i, j, 2) = u(2) - s%md(k, i, j)%ky*dot
             s%uh(k, i, j, 3) = u(3) - s%md(k, i, j)%kz*dot
          end do
       end do
    end do
  end subroutine state_init
end module field_mod
