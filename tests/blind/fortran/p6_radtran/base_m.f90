module base_m
  use, intrinsic :: iso_fortran_env, only : wp => real64
  use mpi_f08
  implicit none
  public

  type :: grid_t
    integer  :: nx = 40, ny = 0, nz = 40, nyg = 40, ng = 8
    integer  :: j0 = 0
    real(wp) :: dx = 0.025_wp, dy = 0.025_wp, dz = 0.025_wp
    integer  :: rank, nproc, lo, hi
    type(MPI_Comm) :: comm
  contains
    procedure :: init => grid_init
  end type grid_t

  ! level symmetric S4, one octant
  integer, parameter :: nang = 3
  real(wp), parameter :: mu(nang)  = [0.3500212_wp, 0.3500212_wp, 0.8688903_wp]
  real(wp), parameter :: eta(nang) = [0.3500212_wp, 0.8688903_wp, 0.3500212_wp]
  real(wp), parameter :: xi(nang)  = [0.8688903_wp, 0.3500212_wp, 0.3500212_wp]
  real(wp), parameter :: wt = 1.0_wp/24.0_wp

contains

  subroutine grid_init(this)
    class(grid_t), intent(inout) :: this
    this%comm = MPI_COMM_WORLD
    call MPI_Comm_rank(this%comm, this%rank)
    call MPI_Comm_size(this%comm, this%nproc)
    this%ny = this%nyg/this%nproc
    this%j0 = this%rank*this%ny
    this%lo = merge(this%rank-1, MPI_PROC_NULL, this%rank > 0)
    this%hi = merge(this%rank+1, MPI_PROC_NULL, this%rank < this%nproc-1)
  end subroutine grid_init

  elemental real(wp) function planck(t, g)
    real(wp), intent(in) :: t
    integer,  intent(in) :: g
    real(wp) :: x
    x = real(g,wp)/max(t, 1.0e-3_wp)
    planck = 0.0_wp
    if (x < 50.0_wp) planck = real(g,wp)**3/(exp(x)-1.0_wp)
  end function planck

  elemental real(wp) function limit(a)
    real(wp), intent(in) :: a
    limit = max(a, 0.0_wp)
  end function limit
end module base_m
