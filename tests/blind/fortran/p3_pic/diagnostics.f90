module diagnostics
  use types
  use fields
  use particles
  implicit none
  integer, parameter :: nbin = 64
contains

  subroutine energies(s, g, wk, wf)
    type(species_t), intent(in) :: s
    type(mesh_t), intent(in) :: g
    real(rk), intent(out) :: wk, wf
    integer :: n, i, j
    real(rk) :: t
    wk = 0; wf = 0
!$omp parallel do private(t) reduction(+:wk)
    do n = 1, s%np
       t = s%p(n)%vx**2 + s%p(n)%vy**2 + s%p(n)%vz**2
       wk = wk + 0.5_rk*s%m*s%p(n)%wgt*t
    end do
!$omp parallel do private(i) reduction(+:wf)
    do j = 1, g%ny
       do i = 1, g%nx
          wf = wf + 0.5_rk*g%eps(i,j)*(g%e(i,j)%x**2 + g%e(i,j)%y**2)
       end do
    end do
    call MPI_Allreduce(MPI_IN_PLACE, wk, 1, MPI_DOUBLE_PRECISION, MPI_SUM, cart)
    call MPI_Allreduce(MPI_IN_PLACE, wf, 1, MPI_DOUBLE_PRECISION, MPI_SUM, cart)
  end subroutine energies

  ! n, nu, nv, T on the nodes
  subroutine moments(s, g)
    type(species_t), intent(in) :: s
    type(mesh_t), intent(inout) :: g
    integer :: n, i, j, m
    g%mom = 0
!$omp parallel do private(i,j)
    do n = 1, s%np
       i = int(s%p(n)%x/g%dx); j = int(s%p(n)%y/g%dy) - g%j0
!$omp critical
       g%mom(i,j,1) = g%mom(i,j,1) + s%p(n)%wgt
       g%mom(i,j,2) = g%mom(i,j,2) + s%p(n)%wgt*s%p(n)%vx
       g%mom(i,j,3) = g%mom(i,j,3) + s%p(n)%wgt*s%p(n)%vy
       g%mom(i,j,4) = g%mom(i,j,4) + s%p(n)%wgt*(s%p(n)%vx**2+s%p(n)%vy**2)
!$omp end critical
    end do
    do i = 1, g%nx
       do j = 1, g%ny
          do m = 2, 4
             if (g%mom(i,j,1) > 0) g%mom(i,j,m) = g%mom(i,j,m)/g%mom(i,j,1)
          end do
       end do
    end do
  end subroutine moments

  ! distribution of vx along x: f(bin, column)
  subroutine fvx(s, g, f)
    type(species_t), intent(in) :: s
    type(mesh_t), intent(in) :: g
    real(rk), intent(out) :: f(nbin, g%nx)
    integer :: n, ib, i
    f = 0
    do n = 1, s%np
       i = min(g%nx, 1+int(s%p(n)%x/g%dx))
       ib = min(nbin, max(1, nbin/2 + int(s%p(n)%vx*200)))
       f(ib,i) = f(ib,i) + s%p(n)%wgt
    end do
    call MPI_Allreduce(MPI_IN_PLACE, f, size(f), MPI_DOUBLE_PRECISION, MPI_SUM, cart)
  end subroutine fvx

  ! time average of the potential in the y direction, and profile
  subroutine profile(g, prof)
    type(mesh_t), intent(in) :: g
    real(rk), intent(out) :: prof(0:g%nx+1)
    integer :: i, j
    prof = 0
    do i = 0, g%nx+1
       prof(i) = sum(g%phi(i,1:g%ny))/g%ny
    end do
    do j = 1, g%ny
       prof(:) = prof(:) + 0.1_rk*g%rho(:,j)
    end do
  end subroutine profile

  ! correlation between nodes of the y lines, listed by an index array
  subroutine correlate(g, idx, nidx, c)
    type(mesh_t), intent(in) :: g
    integer, intent(in) :: nidx, idx(nidx)
    real(rk), intent(out) :: c(nidx,nidx)
    integer :: a, b, j
    c = 0
    do a = 1, nidx
       do b = a, nidx
          do j = 1, g%ny
             c(a,b) = c(a,b) + g%phi(idx(a),j)*g%phi(idx(b),j)
          end do
       end do
    end do
    do a = 1, nidx
       do b = a, nidx
          c(b,a) = c(a,b)
       end do
    end do
  end subroutine correlate

  subroutine dump(g, istep)
    type(mesh_t), intent(in) :: g
    integer, intent(in) :: istep
    character(len=32) :: fn
    logical :: ex
    integer :: r
    do r = 0, np_mpi-1
       if (r == me) then
          write(fn,'(a,i5.5,a,i4.4)') 'phi', istep, '.', me
          open(30, file=fn, form='unformatted')
          write(30) g%phi(1:g%nx,1:g%ny)
          close(30)
          do
             inquire(file=fn, exist=ex)
             if (ex) exit
             call sleep(1)
          end do
       end if
    end do
    if (me == 0) call sleep(1)
  end subroutine dump
end module diagnostics
