! sum of the contributions of the points shared between tasks
module assemble_mpi
  use sem_par
  implicit none
  real(CUSTOM), allocatable, save :: sb(:), st(:), rb(:), rt(:)
  integer, save :: rq(4)
contains

  ! one scalar field
  subroutine assemble_scalar(a)
    real(CUSTOM), intent(inout) :: a(nglob)
    real(CUSTOM) :: wb(nibot), wt(nitop), vb(nibot), vt(nitop)
    integer :: i, ierr
    vb = 0.d0; vt = 0.d0
    do i = 1, nibot
       wb(i) = a(ipbot(i))
       wt(i) = a(iptop(i))
    enddo
    call MPI_Sendrecv(wb, nibot, MPI_DOUBLE_PRECISION, rbot, 1, vt, nitop, MPI_DOUBLE_PRECISION, rtop, 1, &
         MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
    call MPI_Sendrecv(wt, nitop, MPI_DOUBLE_PRECISION, rtop, 2, vb, nibot, MPI_DOUBLE_PRECISION, rbot, 2, &
         MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
    do i = 1, nibot
       a(ipbot(i)) = a(ipbot(i)) + vb(i)
       a(iptop(i)) = a(iptop(i)) + vt(i)
    enddo
  end subroutine assemble_scalar

  ! three components; packed by component
  subroutine assemble_vector_begin(a)
    real(CUSTOM), intent(in) :: a(NDIM,nglob)
    integer :: i, ierr
    if (.not. allocated(sb)) allocate(sb(NDIM*nibot), st(NDIM*nitop), rb(NDIM*nibot), rt(NDIM*nitop))
    call MPI_Irecv(rb, NDIM*nibot, MPI_DOUBLE_PRECISION, rbot, 12, MPI_COMM_WORLD, rq(1), ierr)
    call MPI_Irecv(rt, NDIM*nitop, MPI_DOUBLE_PRECISION, rtop, 11, MPI_COMM_WORLD, rq(2), ierr)
    do i = 1, nibot
       sb(i)         = a(1,ipbot(i))
       sb(i+nibot)   = a(2,ipbot(i))
       sb(i+2*nibot) = a(3,ipbot(i))
       st(i)         = a(1,iptop(i))
       st(i+nitop)   = a(2,iptop(i))
       st(i+2*nitop) = a(3,iptop(i))
    enddo
    call MPI_Isend(sb, NDIM*nibot, MPI_DOUBLE_PRECISION, rbot, 11, MPI_COMM_WORLD, rq(3), ierr)
    call MPI_Isend(st, NDIM*nitop, MPI_DOUBLE_PRECISION, rtop, 12, MPI_COMM_WORLD, rq(4), ierr)
  end subroutine assemble_vector_begin

  subroutine assemble_vector_end(a)
    real(CUSTOM), intent(inout) :: a(NDIM,nglob)
    integer :: i, ierr, d
    call MPI_Waitall(4, rq, MPI_STATUSES_IGNORE, ierr)
    if (rbot /= MPI_PROC_NULL) then
       do d = 1, NDIM
          do i = 1, nibot
             a(d,ipbot(i)) = a(d,ipbot(i)) + rb(i+(d-1)*nibot)
          enddo
       enddo
    endif
    if (rtop /= MPI_PROC_NULL) then
       do i = 1, nitop
          do d = 1, NDIM
             a(d,iptop(i)) = a(d,iptop(i)) + rt(i+(d-1)*nitop)
          enddo
       enddo
    endif
  end subroutine assemble_vector_end
end module assemble_mpi
