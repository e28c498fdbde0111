program sem3d
  use sem_par
  use assemble_mpi
  use forces
  use output
  implicit none
  integer :: it, ip, ierr, d, prov, isrc, i
  real(CUSTOM) :: t, stf, t0, c
  real(CUSTOM), allocatable :: coef(:)

  call MPI_Init_thread(MPI_THREAD_FUNNELED, prov, ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, myrank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, sizeprocs, ierr)
  call create_mesh
  call assemble_scalar(rmass)
  allocate(coef(nglob))
!$omp parallel do
  do ip = 1, nglob
     rmass(ip) = 1.d0/rmass(ip)
     coef(ip) = 1.d0
     if (min(xs(ip),1.d0-xs(ip)) < 0.05d0) coef(ip) = 0.98d0
  enddo
  isrc = 1 + npx/2 + npx*(npy/2) + npx*npy*(npz/2)

  t0 = MPI_Wtime()
  do it = 1, NSTEP
     t = (it-6)*deltat
     ! predictor
!$omp parallel
!$omp do
     do ip = 1, nglob
        displ(:,ip) = displ(:,ip) + deltat*veloc(:,ip) + 0.5d0*deltat**2*accel(:,ip)
     enddo
!$omp end do
!$omp do
     do ip = 1, nglob
        veloc(:,ip) = veloc(:,ip) + 0.5d0*deltat*accel(:,ip)
     enddo
!$omp end do
!$omp do
     do ip = 1, nglob
        accel(:,ip) = 0.d0
     enddo
!$omp end do nowait
!$omp end parallel

     call update_memory
     call add_memory
     call damp_elements(1.d-30)
     ! outer elements first so that the exchange can go on behind the inner ones
     call compute_forces(.true.)
     call assemble_vector_begin(accel)
     call assemble_vector_end(accel)
     call compute_forces(.false.)

     ! source
     stf = (1.d0 - 2.d0*(30.d0*t)**2)*exp(-(30.d0*t)**2)
     if (myrank == sizeprocs/2) then
        do i = 1, 3
           accel(i,isrc) = accel(i,isrc) + 1.d-6*stf
        enddo
     endif
     bco = 1.d-3*stf
     call coarse_solve

     ! corrector
     do d = 1, NDIM
!$omp parallel do private(c)
        do ip = 1, nglob
           c = coef(ip)
           accel(d,ip) = accel(d,ip)*rmass(ip)
           veloc(d,ip) = c*(veloc(d,ip) + 0.5d0*deltat*accel(d,ip))
        enddo
!$omp end parallel do
     enddo
     call record(it)
     call check_stability(it)
     if (mod(it,NFRAME) == 0) call movie(it)
  enddo
  if (myrank == 0) print *, 'elapsed', MPI_Wtime()-t0, xco(1)
  call write_seis
  call MPI_Finalize(ierr)
end program sem3d
