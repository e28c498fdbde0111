module exchange_m
  use types_m
  use mpi
  implicit none
contains

  ! k faces between blocks of neighbour ranks, and between blocks of this rank
  subroutine exchange_blocks(b)
    type(block_t), intent(inout) :: b(:)
    integer :: n, nb, ierr, cnt, m
    integer :: req(4), stat(MPI_STATUS_SIZE,4)
    nb = size(b)
    do m = 1, nb-1
       b(m)%q(:,:,b(m)%nk+1,:) = b(m+1)%q(:,:,1,:)
       b(m+1)%q(:,:,0,:) = b(m)%q(:,:,b(m)%nk,:)
    end do
    cnt = (b(1)%ni+2)*(b(1)%nj+2)
    do n = 1, nv
       call mpi_irecv(b(1)%q(0,0,0,n), cnt, MPI_DOUBLE_PRECISION, left, 10+n, comm, req(1), ierr)
       call mpi_irecv(b(nb)%q(0,0,b(nb)%nk+1,n), cnt, MPI_DOUBLE_PRECISION, right, 50+n, comm, req(2), ierr)
       call mpi_isend(b(1)%q(0,0,1,n), cnt, MPI_DOUBLE_PRECISION, left, 50+n, comm, req(3), ierr)
       call mpi_isend(b(nb)%q(0,0,b(nb)%nk,n), cnt, MPI_DOUBLE_PRECISION, right, 10+n, comm, req(4), ierr)
       call mpi_waitall(4, req, stat, ierr)
    end do
  end subroutine exchange_blocks

  ! one scalar field, packed
  subroutine exchange_field(f, ni, nj, nk)
    integer, intent(in) :: ni, nj, nk
    real(dp), intent(inout) :: f(ni,nj,0:nk+1)
    integer :: ierr, stat(MPI_STATUS_SIZE)
    call mpi_sendrecv(f(1,1,nk), ni*nj, MPI_DOUBLE_PRECISION, right, 3, &
         f(1,1,0), ni*nj, MPI_DOUBLE_PRECISION, left, 3, comm, stat, ierr)
    call mpi_sendrecv(f(1,1,1), ni*nj, MPI_DOUBLE_PRECISION, left, 4, &
         f(1,1,nk+1), ni*nj, MPI_DOUBLE_PRECISION, right, 4, comm, stat, ierr)
  end subroutine exchange_field

  ! number of droplets that leave to the right, handed from rank to rank
  subroutine pass_right(n, buf, m)
    integer, intent(inout) :: n
    integer, intent(in) :: m
    real(dp), intent(inout) :: buf(4,m)
    integer :: ierr, stat(MPI_STATUS_SIZE), nin
    real(dp) :: tmp(4,m)
    nin = 0
    if (rank > 0) then
       call mpi_recv(nin, 1, MPI_INTEGER, rank-1, 20, comm, stat, ierr)
       if (nin > 0) call mpi_recv(tmp, 4*nin, MPI_DOUBLE_PRECISION, rank-1, 21, comm, stat, ierr)
    end if
    if (rank < nproc-1) then
       call mpi_send(n, 1, MPI_INTEGER, rank+1, 20, comm, ierr)
       if (n > 0) call mpi_send(buf, 4*n, MPI_DOUBLE_PRECISION, rank+1, 21, comm, ierr)
    end if
    if (nin > 0) buf(:,1:nin) = tmp(:,1:nin)
    n = nin
  end subroutine pass_right

  ! exclusive prefix for the output offsets: a true chain
  subroutine line_offset(mine, off)
    integer, intent(in) :: mine
    integer, intent(out) :: off
    integer :: ierr
    off = 0
    call mpi_exscan(mine, off, 1, MPI_INTEGER, MPI_SUM, comm, ierr)
    if (rank == 0) off = 0
  end subroutine line_offset

  subroutine share_sizes(mine, all)
    integer, intent(in) :: mine
    integer, intent(out) :: all(0:)
    integer :: ip, ierr
    all(rank) = mine
    do ip = 0, nproc-1
       call mpi_bcast(all(ip), 1, MPI_INTEGER, ip, comm, ierr)
    end do
  end subroutine share_sizes

  subroutine global_sums(mass, mom, ener)
    real(dp), intent(inout) :: mass, mom, ener
    real(dp) :: g
    integer :: ierr
    call global_sum(mass)
    call global_sum(mom)
    call global_sum(ener)
    g = mass
    call mpi_allreduce(g, mass, 1, MPI_DOUBLE_PRECISION, MPI_MAX, comm, ierr)
  end subroutine global_sums

  subroutine global_sum(x)
    real(dp), intent(inout) :: x
    real(dp) :: y
    integer :: ierr
    call mpi_allreduce(x, y, 1, MPI_DOUBLE_PRECISION, MPI_SUM, comm, ierr)
    x = y
  end subroutine global_sum

  ! everybody gets the inflow profile from rank 0
  subroutine spread_profile(p, n)
    integer, intent(in) :: n
    real(dp), intent(inout) :: p(n)
    integer :: ip, ierr, stat(MPI_STATUS_SIZE)
    if (rank == 0) then
       do ip = 1, nproc-1
          call mpi_send(p, n, MPI_DOUBLE_PRECISION, ip, 31, comm, ierr)
       end do
    else
       call mpi_recv(p, n, MPI_DOUBLE_PRECISION, 0, 31, comm, stat, ierr)
    end if
  end subroutine spread_profile

  ! probe values to rank 0 for the log; only every so many steps
  subroutine collect_probe(v, all)
    real(dp), intent(in) :: v
    real(dp), intent(out) :: all(:)
    integer :: ierr
    call mpi_gather(v, 1, MPI_DOUBLE_PRECISION, all, 1, MPI_DOUBLE_PRECISION, 0, comm, ierr)
  end subroutine collect_probe
end module exchange_m
