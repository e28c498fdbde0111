program radtran
  use base_m
  use material_m
  use field_m
  use sweep_m
  use accel_m
  implicit none
  type(grid_t)  :: g
  type(field_t) :: phi, old, q, diff
  type(dsa_t)   :: dsa
  type(mat_box) :: mats(2)
  type(cell_t), allocatable :: cells(:,:,:)
  real(wp), allocatable :: sigt(:,:,:,:), sigs(:,:,:), s(:,:,:), pm(:,:), tmap(:,:)
  integer :: step, it, prov, nstep = 2, nit = 3
  real(wp) :: err, lk, en, dt = 1.0e-3_wp, t0

  call MPI_Init_thread(MPI_THREAD_FUNNELED, prov)
  call g%init()
  allocate(grey_t :: mats(1)%m)
  allocate(powerlaw_t :: mats(2)%m)
  call make_cells(g, cells)
  call phi%create(g); call old%create(g); call q%create(g)
  call dsa%setup(g)
  allocate(sigt(g%nx,g%ny,g%nz,g%ng), sigs(g%ng,g%ng,2))
  allocate(s(0:g%nx+1,0:g%ny+1,0:g%nz+1), pm(g%ng,g%nz), tmap(g%nx,g%ny))
  sigs = 0.3_wp/g%ng
  t0 = MPI_Wtime()
  do step = 1, nstep
    call emission(g, cells)
    call update_opacity(g, mats, cells)
    call fill_sigma(g, cells, sigt)
    do it = 1, nit
      old = phi
      call q%scatter(old, cells, sigs)
      call sweep_all(g, q, phi, sigt)
      diff = phi - old
      err = diff%maxdiff()
      call MPI_Allreduce(MPI_IN_PLACE, err, 1, MPI_DOUBLE_PRECISION, MPI_MAX, g%comm)
      call diff%group_sum(s)
      call dsa%solve(g, s)
      call dsa%correct(g, phi)
      call phi%clip()
      lk = leakage(g)
      if (err < 1.0e-8_wp) exit
    end do
    call heat(g, cells, phi, dt)
    call hottest(g, cells, tmap)
    call phi%plane_mean(pm)
    en = phi%energy(g)
    call report(g, step, en, lk, pm, tmap)
  end do
  if (g%rank == 0) print '(a,f9.3)', 'time ', MPI_Wtime()-t0
  call MPI_Finalize()

contains

  ! thermal emission of all groups
  subroutine emission(g, c)
    type(grid_t), intent(in) :: g
    type(cell_t), intent(inout) :: c(:,:,:)
    integer :: ig
    do ig = 1, g%ng
      c(:,:,:)%src(ig) = 0.05_wp*planck(c(:,:,:)%temp, ig)
    end do
  end subroutine emission

  ! energy balance of the matter
  subroutine heat(g, c, phi, dt)
    type(grid_t), intent(in) :: g
    type(cell_t), intent(inout) :: c(:,:,:)
    type(field_t), intent(in) :: phi
    real(wp), intent(in) :: dt
    integer :: i, j, k
    real(wp) :: tmax
    tmax = 0.0_wp
    !$omp parallel do private(j,k)
    do i = 1, g%nx
      do j = 1, g%ny
        do k = 1, g%nz
          c(i,j,k)%told = c(i,j,k)%temp
          c(i,j,k)%temp = c(i,j,k)%temp + dt/c(i,j,k)%cv*(dot_product(c(i,j,k)%kap, phi%a(:,i,j,k)) - sum(c(i,j,k)%src))
          !$omp critical
          tmax = max(tmax, c(i,j,k)%temp)
          !$omp end critical
        end do
      end do
    end do
    if (tmax > 1.0e3_wp) error stop 'runaway'
  end subroutine heat

  ! hottest cell along z for the picture
  subroutine hottest(g, c, tm)
    type(grid_t), intent(in) :: g
    type(cell_t), intent(in) :: c(:,:,:)
    real(wp), intent(out) :: tm(:,:)
    integer :: i, j, k
    tm = 0.0_wp
    do k = 1, g%nz
      do j = 1, g%ny
        do i = 1, g%nx
          tm(i,j) = max(tm(i,j), c(i,j,k)%temp)
        end do
      end do
    end do
  end subroutine hottest

  subroutine report(g, step, en, lk, pm, tm)
    type(grid_t), intent(in) :: g
    integer, intent(in) :: step
    real(wp), intent(in) :: en, lk, tm(:,:)
    real(wp), intent(inout) :: pm(:,:)
    real(wp), allocatable :: all(:,:)
    real(wp) :: e
    integer :: k
    e = en
    call MPI_Allreduce(MPI_IN_PLACE, e, 1, MPI_DOUBLE_PRECISION, MPI_SUM, g%comm)
    do k = 1, g%nz
      call MPI_Allreduce(MPI_IN_PLACE, pm(1,k), g%ng, MPI_DOUBLE_PRECISION, MPI_SUM, g%comm)
    end do
    allocate(all(g%nx, merge(g%nyg, 1, g%rank==0)))
    call MPI_Gather(tm, g%nx*g%ny, MPI_DOUBLE_PRECISION, all, g%nx*g%ny, MPI_DOUBLE_PRECISION, 0, g%comm)
    if (g%rank == 0) then
      print '(i4,4es14.6)', step, e, lk, pm(1,1), maxval(all)
      open(10, file='temp.bin', form='unformatted', access='stream')
      write(10) all
      close(10)
    end if
  end subroutine report
end program radtran
