program climcol
  use comm_mod
  use state_mod
  use dyn_mod
  use filter_mod
  use phys_mod
  implicit none
  type(state_t) :: st
  type(halo_t)  :: ht
  real(rk), allocatable :: new(:,:,:), lap(:,:,:), bud(:,:), zm(:,:), zall(:,:)
  integer, allocatable  :: cnt(:), dsp(:)
  real(rk) :: tm, qm, rm, wgt, lost, t0, sol, dev
  integer  :: step, nlat, j0, n, j, k

  call comm_setup(nlat, j0)
  call state_create(st, j0, nlat)
  call filter_setup(st)
  call radtab(gtab)
  allocate (new, lap, mold=st%t)
  allocate (bud(st%nlev, 3), zm(st%nlev, nlat), zall(st%nlev, cfg%nlat), cnt(nprocs), dsp(nprocs))
  new = st%t
  lap = 0
  call MPI_Allgather(nlat*st%nlev, 1, MPI_INTEGER, cnt, 1, MPI_INTEGER, comm, ierr)
  dsp = [(sum(cnt(1:n-1)), n=1, nprocs)]
  wgt = sum(coslat(1:nlat))*st%nlon

  call MPI_Barrier(comm, ierr)
  t0 = MPI_Wtime()
  do step = 1, cfg%nsteps
     sol = cfg%solar*(1 + 0.03_rk*cos(2*pi*step*cfg%dt/3.15e7_rk))
     call tic()
     call halo_rows(st%u)
     call halo_rows(st%v)
     call halo_start(ht, st%t)
     call halo_finish(ht, st%t)
     call smooth_zonal(st, 0.02_rk)
     call smooth_merid(st)
     call hdiff(st, lap)
     call toc(1)

     call tic()
     call halo_start(ht, st%t)
     call hydrostatic(st)
     call halo_finish(ht, st%t)
     call advect(st, st%t, new)
     do n = 1, st%ntr
        call halo_start(ht, st%q(:,:,:,n))
        call halo_finish(ht, st%q(:,:,:,n))
        call advect(st, st%q(:,:,:,n), new)
     end do
     call wind_step(st)
     if (cfg%filter) then
        call filter_field(st, st%t)
        call filter_field(st, st%u)
     end if
     call toc(2)

     call tic()
     call radiation(st, sol)
     if (cfg%moist) call convection(st)
     if (cfg%moist) call condense(st)
     call turbulence(st, 0.05_rk)
     call tracer_fix(st, lost)
     call soilst(st%nlon, nlat, st%t(:,:,st%nlev), cfg%dt)
     call land_step(st, sol)
     call toc(3)

     call level_budget(st, bud)
     tm = gmean(sum(bud(:,1)*dsig), wgt)
     qm = gmean(sum(bud(:,2)*dsig), wgt)
     rm = gmean(sum(st%rain), wgt)
     dev = gmean(sum((bud(:,1)/wgt - tm)**2), 1.0_rk)
     if (too_fast(st, 150.0_rk)) call MPI_Abort(comm, 7, ierr)
     if (rank == 0 .and. mod(step, 12) == 0) print '(i6,4(a,es13.5))', step, '  T', tm, '  q', qm, '  rain', rm, '  dev', dev

     if (mod(step, cfg%ndaily) == 0) then
        do k = 1, st%nlev
           do j = 1, nlat
              zm(k,j) = sum(st%t(1:st%nlon,j,k))/st%nlon
           end do
        end do
        call MPI_Gatherv(zm, nlat*st%nlev, MPI_DOUBLE_PRECISION, zall, cnt, dsp, MPI_DOUBLE_PRECISION, 0, comm, ierr)
        if (rank == 0) then
           open (newunit=k, file='zonal.dat', access='stream', position='append')
           write (k) zall
           close (k)
        end if
     end if
  end do
  if (rank == 0) print '(a,f8.2,a,3f8.2)', 'time ', MPI_Wtime() - t0, '  comm/dyn/phys ', tacc(1:3)
  call MPI_Finalize(ierr)
end program climcol
