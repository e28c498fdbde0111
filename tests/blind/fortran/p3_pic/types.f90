! pic2d: 2d3v electrostatic particle-in-cell code, slabs in y
module types
  use mpi_f08
  implicit none
  integer, parameter :: rk = selected_real_kind(12)

  type particle
     real(rk) :: x, y
     real(rk) :: vx, vy, vz
     real(rk) :: wgt
     real(rk) :: x0, y0             ! birth place
     real(rk) :: tbirth
     real(rk) :: eint               ! internal energy (molecules)
     integer  :: id, src, species, charge
     integer  :: hist(4)
  end type particle

  type vec3
     real(rk) :: x, y, z
  end type vec3

  type counter
     integer :: n = 0
     integer :: pad(31)
  end type counter

  type mesh_t
     integer  :: nx, ny             ! local cells
     integer  :: nyglo, j0
     real(rk) :: dx, dy, lx, ly
     real(rk), allocatable :: rho(:,:), phi(:,:), tmp(:,:)
     real(rk), allocatable :: eps(:,:)
     type(vec3), allocatable :: e(:,:)
     real(rk), allocatable :: mom(:,:,:)     ! node, node, moment
     integer,  allocatable :: first(:), npc(:)
  end type mesh_t

  type species_t
     integer  :: np, npmax
     real(rk) :: q, m
     type(particle), allocatable :: p(:)
     type(particle), allocatable :: buf(:)
  end type species_t

  integer :: me, np_mpi, up, down, nthreads
  type(MPI_Comm) :: cart
  type(MPI_Datatype) :: mpi_particle
contains

  subroutine comm_setup
    type(particle) :: probe(2)
    integer(MPI_ADDRESS_KIND) :: a1, a2
    type(MPI_Datatype) :: tbyte
    call MPI_Comm_dup(MPI_COMM_WORLD, cart)
    call MPI_Comm_rank(cart, me)
    call MPI_Comm_size(cart, np_mpi)
    up   = modulo(me+1, np_mpi)
    down = modulo(me-1, np_mpi)
    call MPI_Get_address(probe(1)%x, a1)
    call MPI_Get_address(probe(2)%x, a2)
    tbyte = MPI_BYTE
    call MPI_Type_contiguous(int(a2-a1), tbyte, mpi_particle)
    call MPI_Type_commit(mpi_particle)
  end subroutine comm_setup
end module types
