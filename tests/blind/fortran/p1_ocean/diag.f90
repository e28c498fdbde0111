!  Diagnostics and output
module diag
  use grid
  implicit none
contains

  subroutine cfl_check(istep)
    integer, intent(in) :: istep
    integer :: i, j, k, ierr
    real(dp) :: umax, c, etamax, cu, eg
    umax = 0._dp
!$omp parallel do private(i,j,c)
    do k = 1, nz
       do j = 1, ny
          do i = 1, nx
             c = max(abs(u(i,j,k)), abs(v(i,j,k)))
!$omp critical (cflmax)
             if (c > umax) umax = c
!$omp end critical (cflmax)
          end do
       end do
    end do
!$omp end parallel do
    etamax = maxval(abs(eta(1:nx,1:ny)))
    call MPI_Allreduce(umax, cu, 1, MPI_DOUBLE_PRECISION, MPI_MAX, comm, ierr)
    call MPI_Allreduce(etamax, eg, 1, MPI_DOUBLE_PRECISION, MPI_MAX, comm, ierr)
    if (cu*dt/dx > 1._dp) then
       if (rank == 0) print *, 'CFL violated at step', istep, cu
       call MPI_Abort(comm, 1, ierr)
    end if
    if (rank == 0 .and. mod(istep,ndiag) == 0) print '(a,i5,2f12.6)', ' step', istep, cu, eg
  end subroutine cfl_check

  subroutine energy(istep)
    integer, intent(in) :: istep
    integer :: i, j, k, ierr
    real(dp) :: el(3), eg(3), ek, ht, vol
    ek = 0._dp; ht = 0._dp; vol = 0._dp
!$omp parallel private(i,j,k)
!$omp do reduction(+:ek,ht,vol)
    do k = 1, nz
       do j = 1, ny
          do i = 1, nx
             ek  = ek  + 0.5_dp*rho0*(u(i,j,k)**2+v(i,j,k)**2)*dx*dy(j)*dz(k)*mask(i,j,k)
             ht  = ht  + tr(i,j,k,1)*mask(i,j,k)*dx*dy(j)*dz(k)
             vol = vol + mask(i,j,k)*dx*dy(j)*dz(k)
          end do
       end do
    end do
!$omp end do
!$omp end parallel
    el = (/ ek, ht, vol /)
    call MPI_Reduce(el, eg, 3, MPI_DOUBLE_PRECISION, MPI_SUM, 0, comm, ierr)
    if (rank == 0) print '(a,i5,3es14.6)', ' diag', istep, eg(1), eg(2)/eg(3), eg(3)
  end subroutine energy

  !  zonal mean section of a field, each ndiag steps
  subroutine zonal_mean(f, zm)
    real(dp), intent(in)  :: f(0:nx+1,0:ny+1,nz)
    real(dp), intent(out) :: zm(ny,nz)
    integer :: j, k
    do j = 1, ny
       do k = 1, nz
          zm(j,k) = sum(f(1:nx,j,k)*mask(1:nx,j,k))/max(1._dp,sum(mask(1:nx,j,k)))
       end do
    end do
  end subroutine zonal_mean

  subroutine write_surface(istep)
    integer, intent(in) :: istep
    real(dp), allocatable :: glob(:,:), buf(:,:)
    integer, allocatable :: cnt(:), dsp(:)
    integer :: ierr, r
    allocate(buf(nx,ny), cnt(0:nproc-1), dsp(0:nproc-1))
    buf = tr(1:nx,1:ny,1,1)
    call MPI_Gather(nx*ny, 1, MPI_INTEGER, cnt, 1, MPI_INTEGER, 0, comm, ierr)
    allocate(glob(nx, merge(ny_glo,1,rank==0)))
    dsp = 0
    do r = 1, nproc-1
       dsp(r) = dsp(r-1) + cnt(r-1)
    end do
    call MPI_Gatherv(buf, nx*ny, MPI_DOUBLE_PRECISION, glob, cnt, dsp, MPI_DOUBLE_PRECISION, 0, comm, ierr)
    if (rank == 0) then
       open(20, file='sst.dat', form='unformatted')
       write(20) istep, glob
       close(20)
    end if
    deallocate(buf, glob, cnt, dsp)
  end subroutine write_surface
end module diag
