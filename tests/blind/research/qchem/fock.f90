module fock_mod
  use qc_kinds
  use basis_mod
  use integrals
  implicit none
contains
  ! y += x*g for one square block of integrals
  subroutine add_block(g, x, y)
    real(dp), contiguous, intent(in)    :: g(:,:)
    real(dp), contiguous, intent(inout) :: y(:,:)
    real(dp), intent(in) :: x
    integer :: i, k
    do k = 1, size(g,2)
       do i = 1, size(g,1)
          y(i,k) = y(i,k) + x*g(i,k)
    end do; end do
  end subroutine add_block

  ! G = J - K/2 from integrals in memory, k/l distributed over ranks
  subroutine fock_stored(eri, d, h, f, n)
    integer,  intent(in)  :: n
    real(dp), intent(in)  :: eri(n,n,n,n), d(n,n), h(n,n)
    real(dp), intent(out) :: f(n,n)
    real(dp), allocatable :: jm(:,:), km(:,:), g(:,:)
    integer :: j, k, l, ierr
    allocate(g(n,n), source=0.0_dp)
    !$omp parallel private(jm, km, j, k, l)
    allocate(jm(n,n), km(n,n), source=0.0_dp)
    !$omp do schedule(static)
    do l = 1 + world%rank, n, world%size
       do k = 1, n
          call add_block(eri(:,:,k,l), d(k,l), jm)
       end do
       do j = 1, n
          if (abs(d(j,l)) < tiny_int) cycle
          call add_block(eri(:,j,:,l), d(j,l), km)
    end do; end do
    !$omp end do nowait
    !$omp critical (gsum)
    g = g + jm - 0.5_dp*km
    !$omp end critical (gsum)
    !$omp end parallel
    call mpi_allreduce(MPI_IN_PLACE, g, n*n, MPI_DOUBLE_PRECISION, MPI_SUM, world%comm, ierr)
    f = h + g
  end subroutine fock_stored

  subroutine digest(g, d, n, i, j, k, l, v)
    integer  :: n, i, j, k, l
    real(dp) :: g(n,n), d(n,n), v, w
    w = v*merge(0.5_dp, 1.0_dp, i == j)*merge(0.5_dp, 1.0_dp, k == l)
    if (i == k .and. j == l) w = 0.5_dp*w
    g(i,j) = g(i,j) + 4.0_dp*w*d(k,l); g(k,l) = g(k,l) + 4.0_dp*w*d(i,j)
    g(i,k) = g(i,k) - w*d(j,l); g(j,l) = g(j,l) - w*d(i,k)
    g(i,l) = g(i,l) - w*d(j,k); g(j,k) = g(j,k) - w*d(i,l)
  end subroutine digest

  ! direct build, integrals recomputed every iteration
  subroutine fock_direct(pairs, npair, d, h, f, n, thr)
    type(pair_t), intent(in) :: pairs(:)
    integer,  intent(in)  :: npair, n
    real(dp), intent(in)  :: d(n,n), h(n,n), thr
    real(dp), intent(out) :: f(n,n)
    real(dp), allocatable :: g(:,:), part(:,:)
    real(dp) :: v
    integer  :: ij, kl, i, j, ip, ierr, stat(MPI_STATUS_SIZE)
    allocate(g(n,n), part(n,n))
    g = 0.0_dp
    !$omp parallel do schedule(dynamic,4) private(kl, v)
    do ij = 1 + world%rank, npair, world%size
       do kl = 1, ij
          if (pairs(ij)%bound*pairs(kl)%bound < thr) cycle
          v = eri_pair(pairs(ij), pairs(kl))
          !$omp critical (fupd)
          call digest(g, d, n, pairs(ij)%i, pairs(ij)%j, pairs(kl)%i, pairs(kl)%j, v)
          !$omp end critical (fupd)
    end do; end do
    if (world%rank == 0) then
       do ip = 1, world%size - 1
          call mpi_recv(part, n*n, MPI_DOUBLE_PRECISION, ip, 71, world%comm, stat, ierr)
          g = g + part
       end do
       do j = 1, n
          do i = 1, n
             f(i,j) = h(i,j) + 0.5_dp*(g(i,j) + g(j,i))
       end do; end do
    else
       call mpi_send(g, n*n, MPI_DOUBLE_PRECISION, 0, 71, world%comm, ierr)
    end if
    do j = 1, n
       call mpi_bcast(f(1,j), n, MPI_DOUBLE_PRECISION, 0, world%comm, ierr)
    end do
  end subroutine fock_direct

  subroutine density(c, n, nocc, d)
    integer,  intent(in)  :: n, nocc
    real(dp), intent(in)  :: c(n,n)
    real(dp), intent(out) :: d(n,n)
    real(dp) :: t
    integer  :: i, j, o
    !$omp parallel do private(j, o, t) schedule(dynamic,8)
    do i = 1, n
       do j = 1, i
          t = 0.0_dp
          do o = 1, nocc
             t = t + c(i,o)*c(j,o)
          end do
          d(i,j) = 2.0_dp*t
          d(j,i) = 2.0_dp*t
    end do; end do
  end subroutine density

  ! packed lower triangle of H; columns dealt out to the ranks
  real(dp) function energy_part(d, f, hp, n) result(e)
    integer  :: n, i, j
    real(dp) :: d(n,n), f(n,n), hp(*), w
    e = 0.0_dp
    do j = 1 + world%rank, n, world%size
       do i = j, n
          w = merge(0.5_dp, 1.0_dp, i == j)
          e = e + w*d(i,j)*(hp(i*(i - 1)/2 + j) + f(i,j))
    end do; end do
  end function energy_part
end module fock_mod
