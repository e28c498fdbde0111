! Run parameters. (The name of the code is historical, the finite-element core went in 2011.)
module wf_params
  use mpi
  implicit none
  integer, parameter :: wp = kind(1.0d0)
  integer, parameter :: ng = 2                      ! ghost layers of the fourth-order stencil
  real(wp), parameter :: c1 = 9.0_wp/8.0_wp, c2 = -1.0_wp/24.0_wp

  type :: run_t
    integer :: nx = 240, ny = 240, nz = 200
    integer :: nzl = 200, koff = 0
    integer :: nsteps = 1000, nckpt = 500, nabs = 20, nrec = 48, nsub = 100000
    real(wp) :: dt = 1.0e-3_wp, h = 20.0_wp, f0 = 4.0_wp
    logical :: plastic = .true.
    character(len=64) :: tag = 'run'
  end type run_t
contains
  subroutine read_run(r, rank)
    type(run_t), intent(inout) :: r
    integer, intent(in) :: rank
    integer :: nx, ny, nz, nsteps, nckpt, nrec, nsub, ios, ierr, u
    real(wp) :: dt, h, f0
    namelist /run/ nx, ny, nz, nsteps, nckpt, nrec, nsub, dt, h, f0
    nx = r%nx; ny = r%ny; nz = r%nz; nsteps = r%nsteps; nckpt = r%nckpt
    nrec = r%nrec; nsub = r%nsub; dt = r%dt; h = r%h; f0 = r%f0
    if (rank == 0) then
      open(newunit=u, file='wavefem.nml', status='old', iostat=ios)
      if (ios == 0) then
        read(u, nml=run, iostat=ios)
        close(u)
      end if
    end if
    call mpi_bcast(nx, 1, mpi_integer, 0, mpi_comm_world, ierr)
    call mpi_bcast(ny, 1, mpi_integer, 0, mpi_comm_world, ierr)
    call mpi_bcast(nz, 1, mpi_integer, 0, mpi_comm_world, ierr)
    call mpi_bcast(nsteps, 1, mpi_integer, 0, mpi_comm_world, ierr)
    call mpi_bcast(nckpt, 1, mpi_integer, 0, mpi_comm_world, ierr)
    call mpi_bcast(nrec, 1, mpi_integer, 0, mpi_comm_world, ierr)
    call mpi_bcast(nsub, 1, mpi_integer, 0, mpi_comm_world, ierr)
    call mpi_bcast(dt, 1, mpi_double_precision, 0, mpi_comm_world, ierr)
    call mpi_bcast(h, 1, mpi_double_precision, 0, mpi_comm_world, ierr)
    call mpi_bcast(f0, 1, mpi_double_precision, 0, mpi_comm_world, ierr)
    r%nx = nx; r%ny = ny; r%nz = nz; r%nsteps = nsteps; r%nckpt = nckpt
    r%nrec = nrec; r%nsub = nsub; r%dt = dt; r%h = h; r%f0 = f0
  end subroutine read_run
end module wf_params
