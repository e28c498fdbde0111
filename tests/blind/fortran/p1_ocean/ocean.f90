program ocean
  use grid
  use halo
  use dyn
  use tracer
  use diag
  implicit none
  integer :: istep, n, ierr, prov
  real(dp) :: t0, t1
  real(dp), allocatable :: zm(:,:)

  call MPI_Init_thread(MPI_THREAD_FUNNELED, prov, ierr)
  call decomp_init
  call fields_alloc
  call fields_init
  allocate(zm(ny,nz))
  call MPI_Barrier(comm, ierr)
  t0 = MPI_Wtime()
  do istep = 1, nstep
     call surface_forcing(istep)
     call density
     call pressure
     call halo3d(p)
     call tendencies
     call step_uv
     call vertvel
     call barotropic
     do n = 1, ntr
        call advect(n)
     end do
     call mixing_coef
     do n = 1, ntr
        call vdiff(n)
     end do
     call convect
     call cfl_check(istep)
     if (mod(istep,ndiag) == 0) then
        call energy(istep)
        call zonal_mean(tr(:,:,:,1), zm)
     end if
  end do
  t1 = MPI_Wtime()
  call write_surface(nstep)
  if (rank == 0) print '(a,f8.3)', ' time ', t1-t0
  call MPI_Finalize(ierr)
end program ocean
