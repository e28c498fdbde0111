! Budgets, head maps, hydrographs.
module gw_out
  use gw_types
  use gw_comm
  implicit none
  integer, parameter :: nobs = 16
contains
  ! damp oscillating heads along one line
  subroutine limit_line(n, a, b)
    integer, intent(in) :: n
    real(dp), intent(inout) :: a(n)
    real(dp), intent(in) :: b(n)
    integer :: i
    do i = 1, n
       if (abs(a(i) - b(i)) > 2.d0) a(i) = b(i) + sign(2.d0, a(i) - b(i))
    end do
  end subroutine limit_line
  subroutine damp_heads(bysouth)
    logical, intent(in) :: bysouth
    integer :: i, j, k
    do k = 1, g%nl
       if (bysouth) then
          do i = 1, g%nc
             call limit_line(g%nrl, hnew(i,1:g%nrl,k), hold(i,1:g%nrl,k))
          end do
       else
          do j = 1, g%nrl
             call limit_line(g%nc, hnew(1:g%nc,j,k), hold(1:g%nc,j,k))
          end do
       end if
    end do
  end subroutine damp_heads
  function max_change(hp) result(dm)
    real(dp), intent(in) :: hp(0:,0:,0:)
    real(dp) :: dm
    integer :: i, j, k
    dm = 0.d0
!$omp parallel do collapse(2) private(j) reduction(max:dm)
    do k = 1, g%nl
       do i = 1, g%nc
          do j = 1, g%nrl
             dm = max(dm, abs(hnew(i,j,k) - hp(i,j,k)))
          end do
       end do
    end do
    dm = gmax(dm)
  end function max_change
  ! flows by zone: 1 storage, 2 lateral, 3 constant head, 4 sinks
  subroutine zone_budget(qz)
    real(dp), intent(out) :: qz(4,nzone)
    integer :: i, j, k, iz
    real(dp) :: f
    qz = 0.d0
!$omp parallel do private(i,j,iz,f) reduction(+:qz)
    do k = 1, g%nl
       do i = 2, g%nc - 1
          do j = 1, g%nrl
             iz = g%izone(i,j,k)
             f = cr(i,j,k)*(hnew(i+1,j,k) - hnew(i,j,k))
             select case (g%ibound(i,j,k))
             case (:-1)
                qz(3,iz) = qz(3,iz) + f
             case (0)
                cycle
             case default
                qz(1,iz) = qz(1,iz) + hcof(i,j,k)*(hnew(i,j,k) - hold(i,j,k))
                qz(2,iz) = qz(2,iz) + f
                if (rhs(i,j,k) > 0.d0) qz(4,iz) = qz(4,iz) + rhs(i,j,k)
             end select
          end do
       end do
    end do
    call gsum_vec(qz, size(qz))
  end subroutine zone_budget
  ! depth of the water table: first wet layer from above
  subroutine water_table(wt)
    real(dp), intent(out) :: wt(:,:)
    integer :: i, j, k
!$omp parallel do collapse(2) schedule(dynamic,1) private(k)
    do j = 1, g%nrl
       do i = 1, g%nc
          wt(i,j) = g%bot(i,j,g%nl)
          do k = 1, g%nl
             if (hnew(i,j,k) > g%bot(i,j,k)) then
                wt(i,j) = hnew(i,j,k)
                exit
             end if
          end do
       end do
    end do
  end subroutine water_table
  subroutine write_heads(istep, wt)
    integer, intent(in) :: istep
    real(dp), intent(in) :: wt(:,:)
    real(dp), allocatable :: all(:,:)
    integer :: ip, n0, nn, lim(2), st(mpi_status_size)
    character(len=32) :: fn
    if (me /= 0) then
       call mpi_send((/ g%r0, g%nrl /), 2, mpi_integer, 0, 21, mpi_comm_world, ierr)
       call mpi_send(wt, g%nc*g%nrl, mpi_double_precision, 0, 22, mpi_comm_world, ierr)
       return
    end if
    allocate(all(g%nc,g%nr))
    all(:,1:g%nrl) = wt
    do ip = 1, np - 1
       call mpi_recv(lim, 2, mpi_integer, ip, 21, mpi_comm_world, st, ierr)
       n0 = lim(1); nn = lim(2)
       call mpi_recv(all(1,n0+1), g%nc*nn, mpi_double_precision, ip, 22, mpi_comm_world, st, ierr)
    end do
    write(fn,'(a,i5.5,a)') 'wt', istep, '.dat'
    open(31, file=fn, form='unformatted', access='stream')
    write(31) g%nc, g%nr
    write(31) all
    close(31)
  end subroutine write_heads
  subroutine hydrographs(t)
    real(dp), intent(in) :: t
    real(dp) :: ho(nobs)
    integer :: n, jr
    ho = 0.d0
    do n = 1, nobs
       jr = 1 + (n*g%nr)/(nobs + 2) - g%r0
       if (jr >= 1 .and. jr <= g%nrl) ho(n) = hnew(g%nc/2, jr, 1)
    end do
    call gsum_vec(ho, nobs)
    if (me == 0) write(32,'(f12.3,16f10.4)') t, ho
  end subroutine hydrographs
end module gw_out
