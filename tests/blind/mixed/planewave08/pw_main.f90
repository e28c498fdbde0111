program pw_main
  use mpi_f08
  use pw_par
  use pw_grid
  use pw_fft
  use pw_wave
  implicit none
  type(pool_t) :: pool
  type(grid_t), target :: grid
  type(fft_t) :: fft
  type(wave_t) :: wf
  type(density_t) :: rho
  complex(dp), allocatable :: other(:,:), s(:,:), rg(:), vg(:)
  real(dp), allocatable :: res(:), eig(:), veff(:,:,:), z(:), focc(:)
  real(dp) :: ekin, eloc, exc, eh, d, etot, t0
  integer :: it, ib, k, step, prov, cfg(3)
  integer, parameter :: nb = 8, np = 6, n = 32

  call MPI_Init_thread(MPI_THREAD_FUNNELED, prov)
  call pool%init(MPI_COMM_WORLD)
  cfg = [n, nb, np]
  call MPI_Bcast(cfg, 3, MPI_INTEGER, 0, pool%comm)
  call grid%setup(n, 80.0_dp)
  call fft%plan(n)
  call wf%start(grid, nb, np, pool%me*nb)
  call rho%create(n)
  allocate(other(grid%npw,nb), s(nb,nb), rg(grid%npw), vg(grid%npw), res(nb), eig(nb*pool%np))
  allocate(veff(n,n,n), z(n), focc(nb*pool%np))
  call wf%normalise()
  call pool%sync()
  t0 = MPI_Wtime()
  do it = 1, 4
!$omp parallel do
     do k = 1, n
        rho%r(:,:,k) = 0
     end do
     do ib = 1, nb
        call fft%scatter(grid, wf%c(:,ib))
        call fft%transform(1)
        call rho%add_band(fft, wf%occ(ib))
     end do
     call pool%sum_field(rho%r)
     call rho%mix(0.3_dp, d)
     call rho%xc(exc)
     fft%box = rho%r
     call fft%transform(-1)
     rg = 0
     call fft%gather(grid, rg)
     call grid%hartree(rg, vg, coulomb, eh)
     veff = grid%vloc + rho%v
     call pool%share_bands(veff)
     call pool%sync()
     call wf%project()
     call wf%apply_h(grid, fft, veff)
     do step = 1, pool%np-1
        call pool%ring_bands(wf%c, other, step)
        call wf%overlap(other, s)
     end do
     call wf%overlap(wf%c, s)
     call pool%sum_cmat(s)
     call wf%descend(grid, 0.1_dp, res)
     call wf%normalise()
     ekin = 0
     eloc = 0
     do ib = 1, nb
        eig(pool%me*nb+ib) = real(dot_product(wf%c(:,ib), wf%hc(:,ib)))
        ekin = ekin + wf%occ(ib)*grid%kinetic(wf%c(:,ib))
        eloc = eloc + wf%occ(ib)*eig(pool%me*nb+ib)
     end do
     call pool%share_eigs(eig, nb)
     ekin = pool%sum_scalar(ekin)
     eloc = pool%sum_scalar(eloc)
     d = pool%sum_scalar(d)
     etot = ekin + eloc + exc + eh
     call wf%weights(eig(pool%me*nb+1:pool%me*nb+nb), 5.0_dp)
     call pool%collect_occ(wf%occ, focc)
     call pool%wait_restart(it)
     if (pool%me == 0) print '(i3,4es14.6)', it, etot, d, eh, sum(focc)
  end do
  call rho%profile(z)
  call pool%sync()
  if (pool%me == 0) print '(a,f8.3,es13.5)', ' time', MPI_Wtime() - t0, sum(z)
  call MPI_Finalize()
end program pw_main
