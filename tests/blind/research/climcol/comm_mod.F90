module comm_mod
  use mpi
  use params_mod
  implicit none
  integer :: comm, rank, nprocs, south, north, ierr
  real(rk) :: tstart = 0, tacc(8) = 0

  type :: halo_t
     integer :: req(4) = MPI_REQUEST_NULL
     real(rk), allocatable :: sbuf(:,:,:), rbuf(:,:,:)
  end type halo_t

contains

  subroutine comm_setup(nlat, j0)
    integer, intent(out) :: nlat, j0
    call MPI_Init(ierr)
    comm = MPI_COMM_WORLD
    call MPI_Comm_rank(comm, rank, ierr)
    call MPI_Comm_size(comm, nprocs, ierr)
    if (rank == 0) call read_config('climcol.nml')
    call MPI_Bcast(cfg, storage_size(cfg)/8, MPI_BYTE, 0, comm, ierr)
    nlat = cfg%nlat/nprocs
    if (rank < mod(cfg%nlat, nprocs)) nlat = nlat + 1
    j0 = rank*(cfg%nlat/nprocs) + min(rank, mod(cfg%nlat, nprocs))
    south = merge(rank - 1, MPI_PROC_NULL, rank > 0)
    north = merge(rank + 1, MPI_PROC_NULL, rank < nprocs - 1)
  end subroutine comm_setup

  subroutine wrap_lon(a)
    real(rk), intent(inout) :: a(0:, 0:, :)
    integer :: j, k, n
    n = ubound(a, 1) - 1
    !$omp parallel do private(j)
    do k = 1, size(a, 3)
       do j = 0, ubound(a, 2)
          a(0,j,k) = a(n,j,k)
          a(n+1,j,k) = a(1,j,k)
       end do
    end do
  end subroutine wrap_lon

  ! ghost rows of a wind field
  subroutine halo_rows(a)
    real(rk), intent(inout) :: a(0:, 0:, :)
    integer :: k, n, m
    n = size(a, 1)
    m = ubound(a, 2) - 1
    do k = 1, size(a, 3)
       call MPI_Sendrecv(a(0,1,k), n, MPI_DOUBLE_PRECISION, south, k, a(0,m+1,k), n, MPI_DOUBLE_PRECISION, &
                         north, k, comm, MPI_STATUS_IGNORE, ierr)
       call MPI_Sendrecv(a(0,m,k), n, MPI_DOUBLE_PRECISION, north, 100+k, a(0,0,k), n, MPI_DOUBLE_PRECISION, &
                         south, 100+k, comm, MPI_STATUS_IGNORE, ierr)
    end do
    if (south == MPI_PROC_NULL) a(:,0,:) = a(:,1,:)
    if (north == MPI_PROC_NULL) a(:,m+1,:) = a(:,m,:)
    call wrap_lon(a)
  end subroutine halo_rows

  subroutine halo_start(h, a)
    type(halo_t), intent(inout) :: h
    real(rk), intent(in) :: a(0:, 0:, :)
    integer :: k, m, nb
    m = ubound(a, 2) - 1
    if (.not. allocated(h%sbuf)) allocate (h%sbuf(size(a, 1), size(a, 3), 2), h%rbuf(size(a, 1), size(a, 3), 2))
    nb = size(a, 1)*size(a, 3)
    do k = 1, size(a, 3)
       h%sbuf(:,k,1) = a(:,1,k)
       h%sbuf(:,k,2) = a(:,m,k)
    end do
    call MPI_Irecv(h%rbuf(1,1,1), nb, MPI_DOUBLE_PRECISION, south, 301, comm, h%req(1), ierr)
    call MPI_Irecv(h%rbuf(1,1,2), nb, MPI_DOUBLE_PRECISION, north, 302, comm, h%req(2), ierr)
    call MPI_Isend(h%sbuf(1,1,1), nb, MPI_DOUBLE_PRECISION, south, 302, comm, h%req(3), ierr)
    call MPI_Isend(h%sbuf(1,1,2), nb, MPI_DOUBLE_PRECISION, north, 301, comm, h%req(4), ierr)
  end subroutine halo_start

  subroutine halo_finish(h, a)
    type(halo_t), intent(inout) :: h
    real(rk), intent(inout) :: a(0:, 0:, :)
    integer :: k, m
    m = ubound(a, 2) - 1
    call MPI_Waitall(4, h%req, MPI_STATUSES_IGNORE, ierr)
    do k = 1, size(a, 3)
       a(:,0,k) = merge(a(:,1,k), h%rbuf(:,k,1), south == MPI_PROC_NULL)
       a(:,m+1,k) = merge(a(:,m,k), h%rbuf(:,k,2), north == MPI_PROC_NULL)
    end do
    call wrap_lon(a)
  end subroutine halo_finish

  ! area mean over the globe
  real(rk) function gmean(part, weight)
    real(rk), intent(in) :: part, weight
    real(rk) :: s(2)
    s = [part, weight]
    call MPI_Allreduce(MPI_IN_PLACE, s, 2, MPI_DOUBLE_PRECISION, MPI_SUM, comm, ierr)
    gmean = s(1)/s(2)
  end function gmean

  subroutine tic()
    tstart = MPI_Wtime()
  end subroutine tic

  subroutine toc(n)
    integer, intent(in) :: n
    call MPI_Barrier(comm, ierr)
    tacc(n) = tacc(n) + MPI_Wtime() - tstart
  end subroutine toc
end module comm_mod
