module exchange
  use types
  use fields
  use omp_lib
  implicit none
  integer, allocatable, save :: nleave(:)
  type(counter), allocatable, save :: nstay(:)
contains

  ! leavers of the species: new one, packed
  subroutine swap(s, g)
    type(species_t), intent(inout) :: s
    type(mesh_t), intent(in) :: g
    type(particle), allocatable :: su(:), sd(:)
    integer :: nu, nd, n, nk, mu, md
    real(rk) :: y0, y1
    y0 = g%j0*g%dy; y1 = (g%j0+g%ny)*g%dy
    nu = 0; nd = 0; nk = 0
    allocate(su(s%np/4+100), sd(s%np/4+100))
    do n = 1, s%np
       if (s%p(n)%y >= y1) then
          nu = nu + 1; su(nu) = s%p(n)
       else if (s%p(n)%y < y0) then
          nd = nd + 1; sd(nd) = s%p(n)
       else
          nk = nk + 1
          if (nk /= n) s%p(nk) = s%p(n)
       end if
    end do
    s%np = nk
    call wrap(su, nu, g); call wrap(sd, nd, g)
    call MPI_Sendrecv(nu, 1, MPI_INTEGER, up, 31, md, 1, MPI_INTEGER, down, 31, cart, MPI_STATUS_IGNORE)
    call MPI_Sendrecv(nd, 1, MPI_INTEGER, down, 32, mu, 1, MPI_INTEGER, up, 32, cart, MPI_STATUS_IGNORE)
    call MPI_Sendrecv(su, nu, mpi_particle, up, 33, s%p(s%np+1), md, mpi_particle, down, 33, cart, MPI_STATUS_IGNORE)
    s%np = s%np + md
    call MPI_Sendrecv(sd, nd, mpi_particle, down, 34, s%p(s%np+1), mu, mpi_particle, up, 34, cart, MPI_STATUS_IGNORE)
    s%np = s%np + mu
  end subroutine swap

  subroutine wrap(b, n, g)
    type(particle), intent(inout) :: b(:)
    integer, intent(in) :: n
    type(mesh_t), intent(in) :: g
    integer :: k
    do k = 1, n
       b(k)%y = modulo(b(k)%y, g%ly*(1-1.e-14_rk))
    end do
  end subroutine wrap

  ! old exchange, still used for the ions
  subroutine swap_old(s, g)
    type(species_t), intent(inout) :: s
    type(mesh_t), intent(in) :: g
    integer :: dir, n, k, nout, nin, dst, src, it
    integer, allocatable :: list(:)
    type(particle) :: one(1)
    type(MPI_Request), allocatable :: rq(:)
    real(rk) :: y0, y1
    y0 = g%j0*g%dy; y1 = (g%j0+g%ny)*g%dy
    if (.not. allocated(nleave)) allocate(nleave(0:nthreads-1), nstay(0:nthreads-1))
!$omp parallel private(it,n)
    it = omp_get_thread_num()
    nleave(it) = 0
    nstay(it)%n = 0
!$omp do
    do n = 1, s%np
       if (s%p(n)%y >= y1 .or. s%p(n)%y < y0) then
          s%p(n)%hist(1) = 1
       else
          s%p(n)%hist(1) = 0
       end if
       nleave(it) = nleave(it) + s%p(n)%hist(1)
       nstay(it)%n = nstay(it)%n + 1 - s%p(n)%hist(1)
    end do
!$omp end do
!$omp end parallel
    allocate(list(sum(nleave)+1), rq(sum(nleave)+1))
    do dir = 1, 2
       dst = merge(up, down, dir==1); src = merge(down, up, dir==1)
       nout = 0
       do n = 1, s%np
          if (s%p(n)%hist(1) == 1) then
             if ((dir==1 .and. s%p(n)%y >= y1) .or. (dir==2 .and. s%p(n)%y < y0)) then
                nout = nout + 1; list(nout) = n
             end if
          end if
       end do
       call MPI_Sendrecv(nout, 1, MPI_INTEGER, dst, 40, nin, 1, MPI_INTEGER, src, 40, cart, MPI_STATUS_IGNORE)
       do k = 1, nout
          s%p(list(k))%y = modulo(s%p(list(k))%y, g%ly*(1-1.e-14_rk))
          s%p(list(k))%hist(1) = 2
          call MPI_Isend(s%p(list(k)), 1, mpi_particle, dst, 41, cart, rq(k))
       end do
       do k = 1, nin
          call MPI_Recv(one, 1, mpi_particle, src, 41, cart, MPI_STATUS_IGNORE)
          one(1)%hist(1) = 0
          s%buf(k) = one(1)
       end do
       call MPI_Waitall(nout, rq, MPI_STATUSES_IGNORE)
       k = 0
       do n = 1, s%np
          if (s%p(n)%hist(1) /= 2) then
             k = k + 1
             if (k /= n) s%p(k) = s%p(n)
          end if
       end do
       s%p(k+1:k+nin) = s%buf(1:nin)
       s%np = k + nin
    end do
    call MPI_Barrier(cart)
  end subroutine swap_old
end module exchange
