! Row decomposition and the messages that go with it.
module gw_comm
  use mpi
  use gw_types
  implicit none
  integer, save :: me = 0, np = 1, north = mpi_proc_null, south = mpi_proc_null, ierr, req(4)
  real(dp), allocatable, save :: sn(:,:), ss_(:,:), rn(:,:), rs(:,:)
contains
  subroutine comm_init()
    integer :: provided
    call mpi_init_thread(mpi_thread_funneled, provided, ierr)
    call mpi_comm_rank(mpi_comm_world, me, ierr)
    call mpi_comm_size(mpi_comm_world, np, ierr)
    if (me > 0) north = me - 1
    if (me < np - 1) south = me + 1
  end subroutine comm_init
  subroutine comm_split()
    integer :: base, extra
    base  = g%nr/np; extra = mod(g%nr, np)
    g%nrl = base + merge(1, 0, me < extra)
    g%r0  = me*base + min(me, extra)
    allocate(sn(0:g%nc+1, g%nl), ss_(0:g%nc+1, g%nl), rn(0:g%nc+1, g%nl), rs(0:g%nc+1, g%nl))
    rn = 0.d0; rs = 0.d0
  end subroutine comm_split
  subroutine halo_start(x)
    real(dp), intent(in) :: x(0:,0:,0:)
    integer :: i, k, n
    n = size(sn)
    do k = 1, g%nl
       do i = 0, g%nc + 1
          sn(i,k)  = x(i,1,k)
          ss_(i,k) = x(i,g%nrl,k)
       end do
    end do
    call mpi_irecv(rn, n, mpi_double_precision, north, 11, mpi_comm_world, req(1), ierr)
    call mpi_irecv(rs, n, mpi_double_precision, south, 12, mpi_comm_world, req(2), ierr)
    call mpi_isend(sn, n, mpi_double_precision, north, 12, mpi_comm_world, req(3), ierr)
    call mpi_isend(ss_, n, mpi_double_precision, south, 11, mpi_comm_world, req(4), ierr)
  end subroutine halo_start
  subroutine halo_finish(x)
    real(dp), intent(inout) :: x(0:,0:,0:)
    integer :: k
    call mpi_waitall(4, req, mpi_statuses_ignore, ierr)
    do k = 1, g%nl
       if (north /= mpi_proc_null) x(0:g%nc+1, 0, k) = rn(:,k)
       if (south /= mpi_proc_null) x(0:g%nc+1, g%nrl+1, k) = rs(:,k)
    end do
  end subroutine halo_finish
  subroutine halo_rows(x)
    real(dp), intent(inout) :: x(0:,0:,0:)
    call halo_start(x)
    call halo_finish(x)
  end subroutine halo_rows
  function gsum(a) result(s)
    real(dp), intent(in) :: a
    real(dp) :: s
    call mpi_allreduce(a, s, 1, mpi_double_precision, mpi_sum, mpi_comm_world, ierr)
  end function gsum
  function gmax(a) result(s)
    real(dp), intent(in) :: a
    real(dp) :: s
    call mpi_allreduce(a, s, 1, mpi_double_precision, mpi_max, mpi_comm_world, ierr)
  end function gmax
  subroutine gsum_vec(a, n)
    integer, intent(in) :: n
    real(dp), intent(inout) :: a(n)
    call mpi_allreduce(mpi_in_place, a, n, mpi_double_precision, mpi_sum, mpi_comm_world, ierr)
  end subroutine gsum_vec
end module gw_comm
