module output
  use sem_par
  implicit none
contains

  subroutine record(it)
    integer, intent(in) :: it
    integer :: irec
    do irec = 1, nrec
       seis(:,irec,it) = displ(:,sta(irec)%iglob)
    enddo
  end subroutine record

  ! picture of the surface of each task, joined on task 0
  subroutine movie(it)
    integer, intent(in) :: it
    real(CUSTOM), allocatable, target :: frame(:)
    real(CUSTOM), pointer :: pic(:,:)
    real(CUSTOM), allocatable :: big(:,:)
    integer :: ix, iz, ip, p, ierr, n
    n = npx*npz
    allocate(frame(n))
    pic(1:npx,1:npz) => frame
    do ix = 1, npx
       do iz = 1, npz
          ip = ix + npx*(npy/2) + npx*npy*(iz-1)
          pic(ix,iz) = sqrt(veloc(1,ip)**2 + veloc(2,ip)**2 + veloc(3,ip)**2)
       enddo
    enddo
    call MPI_Barrier(MPI_COMM_WORLD, ierr)
    if (myrank == 0) then
       allocate(big(n,0:sizeprocs-1))
       big(:,0) = frame
       do p = 1, sizeprocs-1
          call MPI_Recv(big(1,p), n, MPI_DOUBLE_PRECISION, p, it, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
       enddo
       open(33, file='movie.bin', form='unformatted', position='append')
       write(33) it, big
       close(33)
       deallocate(big)
    else
       call MPI_Send(frame, n, MPI_DOUBLE_PRECISION, 0, it, MPI_COMM_WORLD, ierr)
    endif
    deallocate(frame)
  end subroutine movie

  subroutine write_seis
    real(CUSTOM), allocatable :: all(:,:,:)
    integer :: irec, it, p, ierr
    allocate(all(NDIM,nrec,NSTEP))
    if (myrank == 0) then
       do p = 0, sizeprocs-1
          if (p == 0) then
             all = seis
          else
             call MPI_Recv(all, size(all), MPI_DOUBLE_PRECISION, p, 99, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
          endif
          do irec = 1, nrec
             open(34, file=trim(sta(irec)%name)//achar(48+p)//'.txt')
             do it = 1, NSTEP
                write(34,'(f10.5,3es14.5)') it*deltat, all(:,irec,it)
             enddo
             close(34)
          enddo
       enddo
    else
       call MPI_Send(seis, size(seis), MPI_DOUBLE_PRECISION, 0, 99, MPI_COMM_WORLD, ierr)
    endif
  end subroutine write_seis

  ! largest displacement and energy, each step (run is stopped when unstable)
  subroutine check_stability(it)
    integer, intent(in) :: it
    real(CUSTOM) :: umax, vmax, ek, g(3)
    integer :: ip, ierr
    umax = 0.d0; vmax = 0.d0; ek = 0.d0
!$omp parallel do schedule(dynamic,1) reduction(max:umax,vmax) reduction(+:ek)
    do ip = 1, nglob
       umax = max(umax, abs(displ(1,ip)), abs(displ(2,ip)), abs(displ(3,ip)))
       vmax = max(vmax, abs(veloc(1,ip)), abs(veloc(2,ip)), abs(veloc(3,ip)))
       ek = ek + 0.5d0*(veloc(1,ip)**2+veloc(2,ip)**2+veloc(3,ip)**2)/rmass(ip)
    enddo
    call MPI_Allreduce(umax, g(1), 1, MPI_DOUBLE_PRECISION, MPI_MAX, MPI_COMM_WORLD, ierr)
    call MPI_Allreduce(vmax, g(2), 1, MPI_DOUBLE_PRECISION, MPI_MAX, MPI_COMM_WORLD, ierr)
    call MPI_Reduce(ek, g(3), 1, MPI_DOUBLE_PRECISION, MPI_SUM, 0, MPI_COMM_WORLD, ierr)
    if (g(1) > 1.d6) call MPI_Abort(MPI_COMM_WORLD, 30, ierr)
    if (myrank == 0 .and. mod(it,NFRAME) == 0) print '(i6,3es13.5)', it, g
  end subroutine check_stability
end module output
