module diag_mod
  use kinds
  use field_mod
  use transpose_mod
  use mpi
  use omp_lib
  implicit none
contains

  ! kinetic energy, enstrophy and the mean square of the divergence
  subroutine budget(s, d, e)
    type(state_t), intent(in) :: s
    type(dom_t), intent(in) :: d
    real(dp), intent(out) :: e(3)
    real(dp) :: ek, en, dv, a, sc
    integer :: i, j, k, ierr
    sc = 1.0_dp/real(d%n, dp)**6
    ek = 0; en = 0; dv = 0
    !$omp parallel do private(i, k, a) reduction(+:ek, en, dv)
    do j = 1, d%nyl
       do i = 1, d%n
          do k = 1, d%n
             a = sum(abs(s%uh(k, i, j, :))**2)
             ek = ek + 0.5_dp*a
             en = en + s%md(k, i, j)%k2*a
             dv = dv + abs(s%md(k,i,j)%kx*s%uh(k,i,j,1) + s%md(k,i,j)%ky*s%uh(k,i,j,2) + s%md(k,i,j)%kz*s%uh(k,i,j,3))**2
          end do
       end do
    end do
    call MPI_Allreduce(ek, e(1), 1, MPI_DOUBLE_PRECISION, MPI_SUM, d%comm, ierr)
    call MPI_Allreduce(en, e(2), 1, MPI_DOUBLE_PRECISION, MPI_SUM, d%comm, ierr)
    call MPI_Allreduce(dv, e(3), 1, MPI_DOUBLE_PRECISION, MPI_SUM, d%comm, ierr)
    e = e*sc
  end subroutine budget

  ! shell-averaged spectrum
  subroutine spectrum(s, d, sp)
    type(state_t), intent(in) :: s
    type(dom_t), intent(in) :: d
    real(dp), intent(out) :: sp(0:)
    real(dp), allocatable :: loc(:,:)
    integer :: i, j, k, q, t, nt, ierr
    nt = omp_get_max_threads()
    allocate(loc(nt, 0:d%n))
    loc = 0
    !$omp parallel private(i, j, k, q, t)
    t = omp_get_thread_num() + 1
    !$omp do
    do j = 1, d%nyl
       do i = 1, d%n
          do k = 1, d%n
             q = s%md(k, i, j)%shell
             loc(t, q) = loc(t, q) + 0.5_dp*sum(abs(s%uh(k, i, j, :))**2)
          end do
       end do
    end do
    !$omp end do
    !$omp end parallel
    do q = 0, d%n/2
       call MPI_Allreduce(sum(loc(:, q)), sp(q), 1, MPI_DOUBLE_PRECISION, MPI_SUM, d%comm, ierr)
    end do
  end subroutine spectrum

  ! transfer into each shell by the nonlinear term
  subroutine transfer(s, d, tr)
    type(state_t), intent(in) :: s
    type(dom_t), intent(in) :: d
    real(dp), intent(out) :: tr(0:)
    real(dp) :: loc(0:2*d%n), glob(0:2*d%n)
    integer :: i, j, k, ierr
    loc = 0
    !$omp parallel do private(i, k) reduction(+:loc)
    do j = 1, d%nyl
       do i = 1, d%n
          do k = 1, d%n
             associate (m => s%md(k, i, j))
               loc(m%shell) = loc(m%shell) + real(sum(conjg(s%uh(k, i, j, :))*s%rhs(k, i, j, :)), dp)
             end associate
          end do
       end do
    end do
    call MPI_Allreduce(loc, glob, size(loc), MPI_DOUBLE_PRECISION, MPI_SUM, d%comm, ierr)
    tr(0:d%n/2) = glob(0:d%n/2)
  end subroutine transfer

  ! mean profile along x of the first velocity component
  subroutine profile(s, d, pr)
    type(state_t), intent(in) :: s
    type(dom_t), intent(in) :: d
    real(dp), intent(out) :: pr(:)
    integer :: i, ierr
    do i = 1, d%n
       pr(i) = sum(real(s%phys(i, :, :, 1), dp))
    end do
    call MPI_Allreduce(MPI_IN_PLACE, pr, d%n, MPI_DOUBLE_PRECISION, MPI_SUM, d%comm, ierr)
    pr = pr/(real(d%n, dp)*d%n)
  end subroutine profile

  ! largest velocity, for the time step control
  subroutine umax(s, d, um)
    type(state_t), intent(in) :: s
    type(dom_t), intent(in) :: d
    real(dp), intent(out) :: um
    real(dp) :: m
    integer :: i, j, k, ierr
    um = 0
    !$omp parallel do private(i, j, m) reduction(max:um)
    do k = 1, d%nzl
       do j = 1, d%n
          do i = 1, d%n
             m = maxval(abs(real(s%phys(i, j, k, 1:3), dp)))
             um = max(um, m)
          end do
       end do
    end do
    call MPI_Allreduce(MPI_IN_PLACE, um, 1, MPI_DOUBLE_PRECISION, MPI_MAX, d%comm, ierr)
  end subroutine umax

  ! histogram of the velocity, bins are few and hit at random
  subroutine pdf(s, d, h)
    type(state_t), intent(in) :: s
    type(dom_t), intent(in) :: d
    integer, intent(out) :: h(:)
    integer :: i, j, k, b
    integer :: mine(size(h))
    h = 0
    !$omp parallel private(i, j, k, b, mine)
    mine = 0
    !$omp do
    do k = 1, d%nzl
       do j = 1, d%n
          do i = 1, d%n
             b = 1 + int(abs(real(s%phys(i, j, k, 1), dp))*1.0e3_dp)
             b = min(b, size(h))
             mine(b) = mine(b) + 1
          end do
       end do
    end do
    !$omp end do nowait
    !$omp critical
    h = h + mine
    !$omp end critical
    !$omp end parallel
  end subroutine pdf

  ! planes to one file, the ranks in turn
  subroutine dump(s, d, it)
    type(state_t), intent(in) :: s
    type(dom_t), intent(in) :: d
    integer, intent(in) :: it
    integer :: u, ierr, st(MPI_STATUS_SIZE), tok, i, j
    character(len=32) :: fn
    write(fn, '(a,i5.5,a)') 'plane', it, '.txt'
    tok = 0
    if (d%me > 0) call MPI_Recv(tok, 1, MPI_INTEGER, d%me - 1, 3, d%comm, st, ierr)
    if (d%me == 0) then
       open(newunit=u, file=fn, status='replace', action='write')
    else
       open(newunit=u, file=fn, status='old', position='append', action='write')
    end if
    do i = 1, d%n, 8
       do j = 1, d%n, 8
          write(u, '(2i5,es14.6)') i, j, real(s%phys(i, j, 1, 1), dp)
       end do
    end do
    close(u)
    if (d%me < d%np - 1) call MPI_Send(tok, 1, MPI_INTEGER, d%me + 1, 3, d%comm, ierr)
  end subroutine dump
end module diag_mod
