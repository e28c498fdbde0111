! Slab decomposition in depth; rank 0 holds the free surface.
module wf_halo
  use wf_types
  implicit none
  integer, save :: me = 0, np = 1, above = mpi_proc_null, below = mpi_proc_null
  integer, save, private :: reqs(12), nreq = 0
contains
  subroutine halo_setup(r)
    type(run_t), intent(inout) :: r
    integer :: ierr
    call mpi_comm_rank(mpi_comm_world, me, ierr)
    call mpi_comm_size(mpi_comm_world, np, ierr)
    call read_run(r, me)
    r%nzl = r%nz/np
    if (me < mod(r%nz, np)) r%nzl = r%nzl + 1
    r%koff = me*(r%nz/np) + min(me, mod(r%nz, np))
    if (me > 0) above = me - 1
    if (me < np - 1) below = me + 1
  end subroutine halo_setup

  ! post both directions of one field; ng planes are one contiguous block
  subroutine halo_post(f, w, tag)
    type(wavefield), intent(in) :: w
    real(wp), intent(inout) :: f(1-ng:w%nx+ng, 1-ng:w%ny+ng, 1-ng:w%nz+ng)
    integer, intent(in) :: tag
    integer :: n, ierr
    n = ng*size(f, 1)*size(f, 2)
    call mpi_irecv(f(1-ng,1-ng,1-ng), n, mpi_double_precision, above, tag, mpi_comm_world, reqs(nreq+1), ierr)
    call mpi_irecv(f(1-ng,1-ng,w%nz+1), n, mpi_double_precision, below, tag+1, mpi_comm_world, reqs(nreq+2), ierr)
    call mpi_isend(f(1-ng,1-ng,w%nz-ng+1), n, mpi_double_precision, below, tag, mpi_comm_world, reqs(nreq+3), ierr)
    call mpi_isend(f(1-ng,1-ng,1), n, mpi_double_precision, above, tag+1, mpi_comm_world, reqs(nreq+4), ierr)
    nreq = nreq + 4
  end subroutine halo_post

  subroutine halo_done()
    integer :: ierr
    call mpi_waitall(nreq, reqs, mpi_statuses_ignore, ierr)
    nreq = 0
  end subroutine halo_done

  ! Stress planes, only the rows inside of the absorbing frame are sent.
  subroutine halo_rows(f, w)
    type(wavefield), intent(in) :: w
    real(wp), intent(inout) :: f(1-ng:w%nx+ng, 1-ng:w%ny+ng, 1-ng:w%nz+ng)
    integer :: j, m, ierr
    do m = 1, ng
      do j = 1, w%ny
        call mpi_sendrecv(f(1,j,w%nz-m+1), w%nx, mpi_double_precision, below, 70+m, &
                          f(1,j,1-m), w%nx, mpi_double_precision, above, 70+m, mpi_comm_world, mpi_status_ignore, ierr)
        call mpi_sendrecv(f(1,j,m), w%nx, mpi_double_precision, above, 80+m, &
                          f(1,j,w%nz+m), w%nx, mpi_double_precision, below, 80+m, mpi_comm_world, mpi_status_ignore, ierr)
      end do
    end do
  end subroutine halo_rows

  ! weight of the column above every cell of my top plane
  subroutine overburden(load, own, n)
    integer, intent(in) :: n
    real(wp), intent(inout) :: load(n)
    real(wp), intent(in) :: own(n)
    real(wp) :: pass(n)
    integer :: ierr
    load = 0.0_wp
    if (me > 0) call mpi_recv(load, n, mpi_double_precision, me-1, 90, mpi_comm_world, mpi_status_ignore, ierr)
    pass = load + own
    if (me < np-1) call mpi_send(pass, n, mpi_double_precision, me+1, 90, mpi_comm_world, ierr)
  end subroutine overburden
end module wf_halo
