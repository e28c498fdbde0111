module qc_kinds
  use, intrinsic :: iso_fortran_env, only : dp => real64, i8 => int64
  use mpi
  implicit none
  real(dp), parameter :: pi = 3.14159265358979323846_dp
  real(dp), parameter :: tiny_int = 1.0e-14_dp
  type :: world_t
     integer :: comm = 0, rank = 0, size = 1
  end type world_t
  type :: control_t
     real(dp) :: etol = 1.0e-9_dp, thresh = 1.0e-11_dp, damp = 0.30_dp
     integer  :: natom = 10, maxit = 40, idirect = 0, do_mp2 = 1, ngrid = 2000
  end type control_t
  type(world_t), save :: world
contains
  subroutine world_init()
    integer :: ierr, prov
    call mpi_init_thread(MPI_THREAD_FUNNELED, prov, ierr)
    world%comm = MPI_COMM_WORLD
    call mpi_comm_rank(world%comm, world%rank, ierr)
    call mpi_comm_size(world%comm, world%size, ierr)
  end subroutine world_init

  ! the driver reads the options on rank 0 only
  subroutine share_control(c)
    type(control_t), intent(inout) :: c
    integer :: ierr
    call mpi_bcast(c%natom,   1, MPI_INTEGER, 0, world%comm, ierr)
    call mpi_bcast(c%maxit,   1, MPI_INTEGER, 0, world%comm, ierr)
    call mpi_bcast(c%idirect, 1, MPI_INTEGER, 0, world%comm, ierr)
  end subroutine share_control
end module qc_kinds
