program wavefem
  use wf_params
  use wf_types
  use wf_halo
  use wf_kernels
  use wf_absorb
  use wf_io
  implicit none
  type(run_t) :: r
  type(wavefield) :: w
  type(cell), allocatable :: c(:,:,:)
  type(subfault), allocatable :: flt(:)
  real(wp), allocatable :: load(:,:), own(:,:)
  real(wp) :: dth, ekin, epot, vmax, tic, rot(3,3), ax(3)
  integer :: it, i, j, k, l, ierr

  call mpi_init(ierr)
  call halo_setup(r)
  call alloc_field(w, r)
  call build_model(c, r)
  call build_fault(flt, r)
  call qinit(r%f0, r%dt)
  call absorb_setup(r, c)
  call io_setup(r)
  allocate(load(r%nx, r%ny), own(r%nx, r%ny))
  dth = r%dt/r%h

  ax = [0.0_wp, 0.0_wp, 1.0_wp]
  rot = 0.0_wp
  do k = 1, 3
    do l = 1, 3
      rot(k,l) = merge(1.0_wp, 0.0_wp, k == l) + 0.01_wp*ax(k)*ax(l)
    end do
  end do

  call mpi_barrier(mpi_comm_world, ierr)
  tic = mpi_wtime()
  do it = 1, r%nsteps
    call step_horizontal(w, c, dth)
    call step_vertical(w, c, dth)
    call side_walls(w%vx, r%nx, r%ny, r%nzl)
    call side_walls(w%vy, r%nx, r%ny, r%nzl)
    call side_walls(w%vz, r%nx, r%ny, r%nzl)
    call halo_post(w%vx, w, 10)
    call halo_post(w%vy, w, 20)
    call halo_post(w%vz, w, 30)
    call halo_done()

    call step_normal(w, c, dth)
    call step_shear(w, c, dth)
    call inject(w, flt, it*r%dt, r%f0, r%koff)
    call atten(w%sxy, qfz, r%nx, r%ny, r%nzl)
    if (r%plastic) then
      do j = 1, r%ny
        do i = 1, r%nx
          own(i,j) = max(0.0_wp, -w%szz(i,j,r%nzl)) + 9.81_wp*c(i,j,1)%rho*r%h*r%nzl
        end do
      end do
      call overburden(load, own, size(own))
      call yield_limit(w, c, load)
    end if
    if (me == 0) call free_surface(w)
    call halo_rows(w%sxz, w)
    call halo_rows(w%syz, w)
    call halo_post(w%szz, w, 40)
    call halo_done()

    call sponge(w%vx, r%nx, r%ny, r%nzl)
    call sponge(w%vy, r%nx, r%ny, r%nzl)
    call sponge(w%vz, r%nx, r%ny, r%nzl)
    call sponge(w%szz, r%nx, r%ny, r%nzl)
    call smooth_frame(w, r%nabs)
    if (me == 0) then
      call update_pgv(w)
      call qfilt(w%vz(1,1,1), min(r%nx, 512), min(r%ny, 512), r%nx + 2*ng)
    end if
    call record(w, r, it)
    call energies(w, c, ekin, epot, vmax)
    if (vmax > 1.0e12_wp) call mpi_abort(mpi_comm_world, 3, ierr)
    if (mod(it, 50) == 0 .and. me == 0) print '(i7,3es13.5)', it, ekin, epot, rot(3,3)*vmax
    if (mod(it, r%nckpt) == 0) call checkpoint(w, r, it)
  end do
  if (me == 0) print '(a,f9.3,a,es12.4)', 'wall ', mpi_wtime() - tic, ' s, max pgv ', maxval(pgv)
  call write_traces(r)
  call mpi_finalize(ierr)
end program wavefem
