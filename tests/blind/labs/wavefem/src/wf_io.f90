module wf_io
  use wf_types
  use wf_halo
  implicit none
  real(wp), allocatable, save :: seis(:,:), pgv(:,:)
  type(station), allocatable, save :: sta(:)
contains
  subroutine io_setup(r)
    type(run_t), intent(in) :: r
    integer :: n
    allocate(sta(r%nrec), seis(r%nrec, r%nsteps), pgv(r%nx, r%ny))
    seis = 0.0_wp
    pgv = 0.0_wp
    do n = 1, r%nrec
      write(sta(n)%name, '(a1,i4.4)') 'S', n
      sta(n)%i = 1 + mod(n*37, r%nx)
      sta(n)%j = 1 + mod(n*53, r%ny)
      sta(n)%k = 1 + mod(n*11, r%nz)
      sta(n)%mine = sta(n)%k > r%koff .and. sta(n)%k <= r%koff + r%nzl
      sta(n)%scale = 1.0_wp
    end do
  end subroutine io_setup

  subroutine record(w, r, it)
    type(wavefield), intent(in) :: w
    type(run_t), intent(in) :: r
    integer, intent(in) :: it
    real(wp) :: mine(r%nrec), other(r%nrec)
    integer :: n, p, ierr
    do n = 1, r%nrec
      mine(n) = 0.0_wp
      if (sta(n)%mine) mine(n) = sta(n)%scale*w%vz(sta(n)%i, sta(n)%j, sta(n)%k - r%koff)
    end do
    if (me == 0) then
      seis(:, it) = mine
      do p = 1, np-1
        call mpi_recv(other, r%nrec, mpi_double_precision, p, 300, mpi_comm_world, mpi_status_ignore, ierr)
        seis(:, it) = seis(:, it) + other
      end do
    else
      call mpi_send(mine, r%nrec, mpi_double_precision, 0, 300, mpi_comm_world, ierr)
    end if
  end subroutine record

  ! peak ground velocity at the surface, rank 0 only
  subroutine update_pgv(w)
    type(wavefield), intent(in) :: w
    integer :: i, j
    real(wp) :: v
    do i = 1, w%nx
      do j = 1, w%ny
        v = hypot(w%vx(i,j,1), w%vy(i,j,1))
        if (v > pgv(i,j)) pgv(i,j) = v
      end do
    end do
  end subroutine update_pgv

  subroutine energies(w, c, ekin, epot, vmax)
    type(wavefield), intent(in), target :: w
    type(cell), intent(in) :: c(0:,0:,0:)
    real(wp), intent(out) :: ekin, epot, vmax
    real(wp), pointer :: p(:,:,:)
    real(wp) :: ek, ep, tr, diss
    integer :: i, j, k, ierr
    ek = 0.0_wp; ep = 0.0_wp; diss = 0.0_wp
    p => w%szz
    !$omp parallel do private(i, j) reduction(+:ek)
    do k = 1, w%nz
      do j = 1, w%ny
        do i = 1, w%nx
          ek = ek + 0.5_wp*c(i,j,k)%rho*(w%vx(i,j,k)**2 + w%vy(i,j,k)**2 + w%vz(i,j,k)**2)
        end do
      end do
    end do
    do j = 1, w%ny
      do i = 1, w%nx
        ep = ep + sum(p(i, j, 1:w%nz)**2)
      end do
    end do
    call mpi_allreduce(ek, ekin, 1, mpi_double_precision, mpi_sum, mpi_comm_world, ierr)
    call mpi_allreduce(ep, epot, 1, mpi_double_precision, mpi_sum, mpi_comm_world, ierr)
    diss = sum(w%eta(:,1,1)**2)
    call mpi_allreduce(diss, tr, 1, mpi_double_precision, mpi_sum, mpi_comm_world, ierr)
    vmax = sqrt(2.0_wp*ekin/(1.0_wp + tr))
  end subroutine energies

  subroutine checkpoint(w, r, it)
    type(wavefield), intent(in) :: w
    type(run_t), intent(in) :: r
    integer, intent(in) :: it
    character(len=80) :: name
    integer :: u, ierr
    write(name, '(a,a,i0,a,i5.5)') trim(r%tag), '_', it, '.', me
    open(newunit=u, file=name, form='unformatted', access='stream', status='replace')
    write(u) w%vx, w%vy, w%vz, w%sxx, w%syy, w%szz, w%sxy, w%sxz, w%syz
    close(u)
    call mpi_barrier(mpi_comm_world, ierr)
    if (me == 0) call execute_command_line('touch '//trim(r%tag)//'.done', wait=.true.)
  end subroutine checkpoint

  subroutine write_traces(r)
    type(run_t), intent(in) :: r
    real(wp) :: tr(r%nsteps, r%nrec)
    integer :: n, it, u
    if (me /= 0) return
    do it = 1, r%nsteps
      do n = 1, r%nrec
        tr(it, n) = seis(n, it)
      end do
    end do
    open(newunit=u, file='traces.bin', form='unformatted', access='stream', status='replace')
    write(u) tr, pgv
    close(u)
  end subroutine write_traces
end module wf_io
