program snsweep
  use sn_data
  use sn_input
  use sn_comm
  use sn_source
  use sn_sweep
  use sn_accel
  use mpi
  use omp_lib
  implicit none
  real(r8) :: keff, dk, dg, lk, ab, fs, fm(4), t0
  real(r8), allocatable :: sr(:), pl(:,:), spec(:)
  integer :: outer, g, i, j, k, t, ierr, prov

  call mpi_init_thread(MPI_THREAD_FUNNELED, prov, ierr)
  comm = MPI_COMM_WORLD
  call mpi_comm_rank(comm, iam, ierr)
  call mpi_comm_size(comm, npes, ierr)
  pe_dn = merge(iam-1, MPI_PROC_NULL, iam > 0)
  pe_up = merge(iam+1, MPI_PROC_NULL, iam < npes-1)
  call alloc_all(omp_get_max_threads())
  call make_problem()
  allocate(sr(ngrp), pl(nx,ny), spec(ngrp))
  flux = 1.0_r8
  keff = 1.0_r8
  t0 = mpi_wtime()
  do outer = 1, 8
     do t = 1, size(tally)
        tally(t)%leak = 0.0_r8
        tally(t)%absorb = 0.0_r8
        tally(t)%fiss = 0.0_r8
        ptal(t)%fixups = 0
     end do
     call fission_source()
     do g = 1, ngrp
        call keep(g)
        call group_source(g, keff)
        call mpi_barrier(comm, ierr)
        call sweep_group(g)
     end do
     call dsa(10)
     call smooth_corr()
     call apply_corr()

     dk = 0.0_r8
     do g = 1, ngrp
        dg = change(g)
        dk = max(dk, gmax(dg))
     end do
     call scatter_rates(sr)
     call sum_groups(sr, ngrp)
     ab = 0.0_r8
     do t = 1, size(tally)
        ab = ab + tally(t)%absorb
     end do
     lk = 0.0_r8
     do g = 1, ngrp
        call leakage(g, dg)
        lk = lk + dg
        call face_moments(g, fm)
        spec(g) = fm(1)
     end do
     ab = gsum(ab)
     lk = gsum(lk)
     call sum_planes(fs)
     keff = 0.9_r8 + 0.1_r8*fs/(ab + lk)
     if (iam == 0) print '(i3,4es13.5)', outer, keff, dk, lk, sum(spec)
  end do
  call mpi_barrier(comm, ierr)
  if (iam == 0) print '(a,f8.3)', ' seconds ', mpi_wtime() - t0
  call mpi_finalize(ierr)
contains
  subroutine sum_planes(s)
    real(r8), intent(out) :: s
    real(r8) :: z(nz)
    pl = 0.0_r8
    do k = 1, nz
       do j = 1, ny
          do i = 1, nx
             pl(i,j) = pl(i,j) + fsrc(i,j,k)
          end do
       end do
       z(k) = sum(pl)
    end do
    call mpi_allreduce(MPI_IN_PLACE, z, nz, MPI_DOUBLE_PRECISION, MPI_SUM, comm, ierr)
    s = z(nz)
  end subroutine sum_planes
end program snsweep
