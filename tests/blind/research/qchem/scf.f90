program qchem
  use qc_kinds
  use basis_mod
  use integrals
  use fock_mod
  use diis_mod
  use mp2_mod
  implicit none
  type(control_t) :: ctl
  type(mol_t) :: mol; type(diis_t) :: hist
  type(pair_t), allocatable :: pairs(:)
  real(dp), allocatable :: s(:,:), h(:,:), hp(:), x(:,:), f(:,:), c(:,:), d(:,:), dold(:,:)
  real(dp), allocatable :: w1(:,:), w2(:,:), eps(:), eri(:,:,:,:), ov(:,:,:,:), rho(:), pop(:)
  real(dp) :: enuc, etot, eold, ee, chg, errmax, tmax, t0, t1, e2, qint, tr
  integer  :: n, nocc, npair, it, i, j, nq, ierr
  character(len=32) :: arg
  call world_init()
  if (world%rank == 0 .and. command_argument_count() == 2) then
     call get_command_argument(1, arg); read(arg,*) ctl%natom
     call get_command_argument(2, arg); read(arg,*) ctl%idirect
  end if
  call share_control(ctl)
  call build_molecule(mol, ctl%natom)
  n = mol%nshell; nocc = mol%nelec/2
  allocate(s(n,n), h(n,n), hp(n*(n+1)/2), x(n,n), f(n,n), c(n,n), d(n,n), dold(n,n))
  allocate(w1(n,n), w2(n,n), eps(n), rho(ctl%ngrid), pop(mol%natom))
  enuc = nuclear_repulsion(mol)
  call one_electron(mol, n, s, h)
  do i = 1, n
     do j = 1, i
        hp(i*(i - 1)/2 + j) = h(j,i)
  end do; end do
  call build_pairs(mol, n, pairs, npair)
  if (ctl%idirect == 0 .or. ctl%do_mp2 == 1) call eri_incore(pairs, npair, n, ctl%thresh, eri)
  ! X = S**(-1/2)
  call jacobi(s, n, n, eps, w1)
  forall (j = 1:n) w2(:,j) = w1(:,j)/sqrt(eps(j))
  x = matmul(w2, transpose(w1))
  d = 0.0_dp; dold = 0.0_dp; eold = 0.0_dp
  call diis_init(hist, n)
  f = h
  call mpi_barrier(world%comm, ierr)
  t0 = mpi_wtime()
  do it = 1, ctl%maxit
     t1 = mpi_wtime()
     if (it > 1 .and. ctl%idirect == 1) call fock_direct(pairs, npair, d, h, f, n, ctl%thresh)
     if (it > 1 .and. ctl%idirect /= 1) call fock_stored(eri, d, h, f, n)
     ee = energy_part(d, f, hp, n)
     call diis_push(hist, f, d, s, w1, errmax)
     if (it > 2) call diis_extrapolate(hist, f)
     call matmlt(f, n, x, n, w1, n, n)
     call matmlt(x, n, w1, n, w2, n, n)
     call jacobi(w2, n, n, eps, w1)
     call matmlt(x, n, w1, n, c, n, n)
     call density(c, n, nocc, d)
     call dampd(d, dold, n, n, merge(ctl%damp, 0.0_dp, it > 1 .and. it < 4), chg)
     chg = chg/world%size
     tmax = mpi_wtime() - t1
     call mpi_allreduce(MPI_IN_PLACE, ee,  1, MPI_DOUBLE_PRECISION, MPI_SUM, world%comm, ierr)
     call mpi_allreduce(MPI_IN_PLACE, chg, 1, MPI_DOUBLE_PRECISION, MPI_SUM, world%comm, ierr)
     call mpi_allreduce(MPI_IN_PLACE, tmax, 1, MPI_DOUBLE_PRECISION, MPI_MAX, world%comm, ierr)
     etot = ee + enuc
     call population(mol, d, s, n, pop)
     if (world%rank == 0) write(*,'(i4,f18.10,3es11.2,f9.5)') it, etot, chg, errmax, tmax, maxval(pop)
     if (abs(etot - eold) < ctl%etol .and. errmax < 1.0e-6_dp) exit
     eold = etot
  end do
  tr = 0.0_dp
  do i = 1, n
     do j = 1, n
        tr = tr + d(i,j)*s(j,i)
  end do; end do
  call density_line(mol, d, n, ctl%ngrid, rho, qint)
  e2 = 0.0_dp
  if (ctl%do_mp2 == 1) then
     allocate(ov(nocc,n-nocc,nocc,n-nocc))
     call ao2mo(eri, c(:,1:nocc), c(:,nocc+1:n), n, nocc, n-nocc, ov)
     call mp2_energy(ov, eps, nocc, n - nocc, e2)
  end if
  call getq(nq)
  t0 = mpi_wtime() - t0
  if (world%rank == 0) then
     write(*,'(a,f16.9,a,f14.9)') ' E(SCF) ', etot, '  E(2) ', e2
     write(*,'(a,f10.5,a,f10.5,a,f10.3)') ' Tr(DS) ', tr, '  line charge ', qint, '  time ', t0
     write(*,'(a,i0)') ' quartets on rank 0: ', nq
     do i = 1, min(n, 6)
        write(*,'(6f12.6)') (c(i,j), j = 1, min(n, 6))
     end do
  end if
  call mpi_finalize(ierr)
contains
  ! gross Mulliken populations
  subroutine population(m, d, s, n, pop)
    type(mol_t), intent(in) :: m
    integer,  intent(in)  :: n
    real(dp), intent(in)  :: d(n,n), s(n,n)
    real(dp), intent(out) :: pop(:)
    integer :: i, j
    pop = 0.0_dp
    do i = 1, n
       do j = 1, n
          if (abs(s(i,j)) < 1.0e-10_dp) cycle
          pop(m%sh(i)%atom) = pop(m%sh(i)%atom) + d(i,j)*s(i,j)
    end do; end do
  end subroutine population
end program qchem
