module pw_par
  use mpi_f08
  use, intrinsic :: iso_fortran_env, only: dp => real64
  use, intrinsic :: iso_c_binding
  implicit none
  private
  public :: dp, pool_t

  interface
     integer(c_int) function usleep(us) bind(c, name='usleep')
       import :: c_int
       integer(c_int), value :: us
     end function usleep
  end interface

  !> band pool
  type :: pool_t
     type(MPI_Comm) :: comm
     integer :: me = 0, np = 1
   contains
     procedure :: init => pool_init
     procedure :: sum_scalar
     procedure :: sum_field
     procedure :: sum_cmat
     procedure :: ring_bands
     procedure :: share_eigs
     procedure :: share_bands
     procedure :: wait_restart
     procedure :: collect_occ
     procedure :: sync
  end type pool_t
contains
  subroutine pool_init(self, comm)
    class(pool_t), intent(inout) :: self
    type(MPI_Comm), intent(in) :: comm
    self%comm = comm
    call MPI_Comm_rank(comm, self%me)
    call MPI_Comm_size(comm, self%np)
  end subroutine pool_init

  function sum_scalar(self, x) result(y)
    class(pool_t), intent(in) :: self
    real(dp), intent(in) :: x
    real(dp) :: y
    call MPI_Allreduce(x, y, 1, MPI_DOUBLE_PRECISION, MPI_SUM, self%comm)
  end function sum_scalar

  subroutine sum_field(self, f)
    class(pool_t), intent(in) :: self
    real(dp), contiguous, intent(inout) :: f(:,:,:)
    type(MPI_Request) :: rq
    real(dp), allocatable :: t(:,:,:)
    allocate(t, source=f)
    call MPI_Iallreduce(t, f, size(f), MPI_DOUBLE_PRECISION, MPI_SUM, self%comm, rq)
    call MPI_Wait(rq, MPI_STATUS_IGNORE)
  end subroutine sum_field

  subroutine sum_cmat(self, a)
    class(pool_t), intent(in) :: self
    complex(dp), contiguous, intent(inout) :: a(:,:)
    integer :: j
    do j = 1, size(a,2)
       call MPI_Allreduce(MPI_IN_PLACE, a(1,j), size(a,1), MPI_DOUBLE_COMPLEX, MPI_SUM, self%comm)
    end do
  end subroutine sum_cmat

  ! every rank sees the bands of every other rank
  subroutine ring_bands(self, mine, other, step)
    class(pool_t), intent(in) :: self
    complex(dp), contiguous, intent(in) :: mine(:,:)
    complex(dp), contiguous, intent(inout) :: other(:,:)
    integer, intent(in) :: step
    integer :: to, from
    to = modulo(self%me + step, self%np)
    from = modulo(self%me - step, self%np)
    call MPI_Sendrecv(mine, size(mine), MPI_DOUBLE_COMPLEX, to, 5, &
         other, size(other), MPI_DOUBLE_COMPLEX, from, 5, self%comm, MPI_STATUS_IGNORE)
  end subroutine ring_bands

  ! eigenvalues of all bands to all ranks
  subroutine share_eigs(self, e, nb)
    class(pool_t), intent(in) :: self
    integer, intent(in) :: nb
    real(dp), intent(inout) :: e(nb*self%np)
    integer :: ip
    do ip = 0, self%np-1
       if (ip == self%me) cycle
       call MPI_Sendrecv(e(self%me*nb+1), nb, MPI_DOUBLE_PRECISION, ip, 9, &
            e(ip*nb+1), nb, MPI_DOUBLE_PRECISION, ip, 9, self%comm, MPI_STATUS_IGNORE)
    end do
  end subroutine share_eigs

  ! potential from the first rank down the line
  subroutine share_bands(self, c)
    class(pool_t), intent(in) :: self
    real(dp), contiguous, intent(inout) :: c(:,:,:)
    if (self%me > 0) then
       call MPI_Recv(c, size(c), MPI_DOUBLE_PRECISION, self%me-1, 12, self%comm, MPI_STATUS_IGNORE)
    end if
    if (self%me < self%np-1) then
       call MPI_Send(c, size(c), MPI_DOUBLE_PRECISION, self%me+1, 12, self%comm)
    end if
  end subroutine share_bands

  ! rank 0 tells that the mixing file is written
  subroutine wait_restart(self, iter)
    class(pool_t), intent(in) :: self
    integer, intent(in) :: iter
    integer :: ip, flag, ierr
    logical :: there
    if (self%me == 0) then
       flag = iter
       do ip = 1, self%np-1
          call MPI_Send(flag, 1, MPI_INTEGER, ip, 30, self%comm)
       end do
    else
       do
          call MPI_Iprobe(0, 30, self%comm, there, MPI_STATUS_IGNORE)
          if (there) exit
          ierr = usleep(2000_c_int)
       end do
       call MPI_Recv(flag, 1, MPI_INTEGER, 0, 30, self%comm, MPI_STATUS_IGNORE)
    end if
  end subroutine wait_restart

  subroutine collect_occ(self, f, all)
    class(pool_t), intent(in) :: self
    real(dp), contiguous, intent(in) :: f(:)
    real(dp), contiguous, intent(inout) :: all(:)
    call MPI_Allgather(f, size(f), MPI_DOUBLE_PRECISION, all, size(f), MPI_DOUBLE_PRECISION, self%comm)
  end subroutine collect_occ

  subroutine sync(self)
    class(pool_t), intent(in) :: self
    call MPI_Barrier(self%comm)
  end subroutine sync
end module pw_par
