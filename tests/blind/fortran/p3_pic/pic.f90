program pic
  use types
  use fields
  use particles
  use exchange
  use diagnostics
  implicit none
  type(mesh_t) :: g
  type(species_t), target :: el, io
  integer :: istep, nstep, k, prov
  integer :: idx(32)
  real(rk) :: dt, wk, wf, wi, t0
  real(rk), allocatable :: f(:,:), prof(:), c(:,:)

  call MPI_Init_thread(MPI_THREAD_FUNNELED, prov)
  call comm_setup
  nthreads = omp_get_max_threads()
  nstep = 10; dt = 0.05_rk
  call mesh_create(g, 128, 128)
  call load(el, g, 12, -1._rk, 1._rk, 0.02_rk)
  call load(io, g, 12, 1._rk, 100._rk, 0.002_rk)
  allocate(f(nbin,g%nx), prof(0:g%nx+1), c(32,32))
  do k = 1, 32
     idx(k) = 4*k
  end do
  t0 = MPI_Wtime()
  do istep = 1, nstep
     g%rho = 0
     call deposit(el, g)
     call deposit_xy(io%np, io%p(1:io%np)%x, io%p(1:io%np)%y, io%q*io%p(1)%wgt, g)
     call fold_rho(g)
     call smooth(g)
     call guard(g, g%rho)
     call poisson(g)
     call guard(g, g%phi)
     call efield(g)
     call push(el, g, dt)
     call push(io, g, dt)
     call swap(el, g)
     call swap_old(io, g)
     call sort_cells(el, g)
     call collide(el, g, 0.01_rk)
     call energies(el, g, wk, wf)
     call energies(io, g, wi, wf)
     if (me == 0) print '(i5,3es13.5)', istep, wk, wi, wf
     if (mod(istep,5) == 0) then
        call moments(el, g)
        call fvx(el, g, f)
        call profile(g, prof)
        call correlate(g, idx, 32, c)
     end if
     if (mod(istep,10) == 0) call dump(g, istep)
  end do
  call MPI_Barrier(cart)
  if (me == 0) print *, 'time', MPI_Wtime()-t0
  call MPI_Finalize()
end program pic
