program combust
  use types_m
  use exchange_m
  use blocks_m
  use flux_m
  use chem_m
  use spray_m
  implicit none
  type(block_t) :: b(2)
  real(dp), allocatable :: temp(:,:,:), buf(:,:), probes(:), prof(:), old(:,:,:)
  integer, allocatable :: sizes(:)
  real(dp) :: dt, smax, s, mass, mom, ener, t0, tint
  integer :: step, m, i, j, k, ierr, nout, off, n
  integer :: rq(2), stats(MPI_STATUS_SIZE,2)
  integer, parameter :: ni = 64, nj = 48, nk = 12

  call mpi_init(ierr)
  comm = MPI_COMM_WORLD
  call mpi_comm_rank(comm, rank, ierr)
  call mpi_comm_size(comm, nproc, ierr)
  left = merge(rank-1, MPI_PROC_NULL, rank > 0)
  right = merge(rank+1, MPI_PROC_NULL, rank < nproc-1)
  do m = 1, 2
     call make_block(b(m), 2*rank+m, ni, nj, nk)
  end do
  allocate(temp(ni,nj,0:nk+1), old(ni,nj,0:nk+1), buf(4,1000), probes(nproc), prof(nj), sizes(0:nproc-1))
  temp = 300.d0
  prof = 5.d0
  call init_chem(400)
  call init_spray(60000)
  do n = 1, 10
     call mpi_bcast(rx(n)%a, 1, MPI_DOUBLE_PRECISION, 0, comm, ierr)
  end do
  dt = 1.d-6
  t0 = mpi_wtime()
  do step = 1, 10
     call spread_profile(prof, nj)
     do m = 1, 2
        call apply_bc(b(m))
     end do
     call exchange_blocks(b)
     smax = 0.d0
     do m = 1, 2
        call update_points(b(m))
        smax = max(smax, max_wave(b(m)))
     end do
     call mpi_allreduce(smax, s, 1, MPI_DOUBLE_PRECISION, MPI_MAX, comm, ierr)
     dt = min(1.d-6, 1.d-3/s)
     call exchange_blocks(b)
     do m = 1, 2
        call fluxes(b(m))
        call viscous_j(b(m), 1.d-3)
        call filter_k(b(m), 5)
        call sources(b(m))
        call advance(b(m), dt)
     end do
     call precond()
     tint = 0.d0
     do i = 1, ntab
        tint = tint + row_integral(i)
     end do

     do m = 1, 2
        do k = 1, nk
           do j = 1, nj
              do i = 1, ni
                 if (m == 1) temp(i,j,k) = b(m)%pt(i,j,k)%t
              end do
           end do
        end do
     end do
     call exchange_field(temp, ni, nj, nk)
     call smooth()
     call exchange_field(temp, ni, nj, nk)

     call mpi_irecv(old(1,1,0), ni*nj, MPI_DOUBLE_PRECISION, left, 77, comm, rq(1), ierr)
     call mpi_isend(temp(1,1,nk), ni*nj, MPI_DOUBLE_PRECISION, right, 77, comm, rq(2), ierr)
     call mpi_waitall(2, rq, stats, ierr)
     do k = 2, nk
        do j = 1, nj
           do i = 1, ni
              old(i,j,k) = 0.5d0*(temp(i,j,k) + temp(i,j,k-1))
           end do
        end do
     end do
     old(:,:,1) = 0.5d0*(temp(:,:,1) + old(:,:,0))

     call move_spray(1.d-4, nout, buf)
     call share_sizes(nout, sizes)
     call line_offset(nout, off)
     call pass_right(nout, buf, 1000)
     call mpi_barrier(comm, ierr)

     if (mod(step,10) == 0) then
        mass = 0.d0; mom = 0.d0; ener = 0.d0
        do m = 1, 2
           mass = mass + sum(b(m)%q(1:ni,1:nj,1:nk,1)*b(m)%vol)
           mom  = mom  + sum(b(m)%q(1:ni,1:nj,1:nk,2)*b(m)%vol)
           ener = ener + sum(b(m)%q(1:ni,1:nj,1:nk,5)*b(m)%vol)
        end do
        call global_sums(mass, mom, ener)
        call collect_probe(temp(5,5,5), probes)
        if (rank == 0) print '(a,i4,4es13.5)', ' step', step, mass, mom, ener, sum(probes)
        call mpi_barrier(comm, ierr)
     end if
  end do
  if (rank == 0) print '(a,f8.3,es12.4)', ' time', mpi_wtime()-t0, tint
  call mpi_finalize(ierr)

contains

  subroutine smooth()
    integer :: i, j, k
    do k = 1, nk
       do j = 2, nj-1
          do i = 2, ni-1
             temp(i,j,k) = 0.9d0*temp(i,j,k) + 0.025d0*(temp(i-1,j,k) + temp(i+1,j,k) + temp(i,j-1,k) + temp(i,j+1,k))
          end do
       end do
    end do
  end subroutine smooth
end program combust
