module phys_mod
  use state_mod
  implicit none
  real(rk) :: gtab(16, 8)
  interface
     real(rk) function satq(t, p)
       import :: rk
       real(rk) :: t, p
     end function satq
     subroutine radtab(tab)
       import :: rk
       real(rk) :: tab(16, 8)
     end subroutine radtab
  end interface

contains

  ! long and short wave heating, blocks of columns copied to (lev,col)
  subroutine radiation(st, solar)
    type(state_t), intent(inout) :: st
    real(rk), intent(in) :: solar
    real(rk) :: tc(cfg%nlev, nchunk), qc(cfg%nlev, nchunk), heat(cfg%nlev), up, tau, sw
    integer :: i, i0, ib, ig, j, k, nb
    !$omp parallel do private(i, i0, ib, ig, k, nb, tc, qc, heat, up, tau, sw) schedule(static)
    do j = 1, st%nlat
       do i0 = 1, st%nlon, nchunk
          nb = min(nchunk, st%nlon - i0 + 1)
          do k = 1, st%nlev
             do i = 1, nb
                tc(k,i) = st%t(i0+i-1,j,k)
                qc(k,i) = st%q(i0+i-1,j,k,1)
             end do
          end do
          do i = 1, nb
             heat = 0
             do ib = 1, 8
                do ig = 1, 4
                   up = 0.25_rk*bands(ib)%frac*5.67e-8_rk*tc(st%nlev,i)**4
                   sw = 0.25_rk*bands(ib)%frac*solar*coslat(j)*0.3_rk
                   do k = st%nlev, 1, -1
                      tau = exp(-gtab(ig,ib)*(bands(ib)%absw*qc(k,i)*1.0e3_rk + bands(ib)%absc)*dsig(k))
                      heat(k) = heat(k) + (1 - tau)*(up - 0.25_rk*bands(ib)%frac*5.67e-8_rk*tc(k,i)**4 + sw)
                      up = up*tau + (1 - tau)*0.25_rk*bands(ib)%frac*5.67e-8_rk*tc(k,i)**4
                   end do
                end do
             end do
             do k = 1, st%nlev
                tc(k,i) = tc(k,i) + cfg%dt*(grav/(cp*1.0e5_rk*dsig(k))*heat(k) - 2.0e-5_rk*(tc(k,i) - 210)*sig(k))
             end do
          end do
          do k = 1, st%nlev
             st%t(i0:i0+nb-1,j,k) = tc(k,1:nb)
          end do
       end do
    end do
  end subroutine radiation

  ! iterate unstable columns to neutrality
  subroutine convection(st)
    type(state_t), intent(inout) :: st
    real(rk) :: th(st%nlon, st%nlev), x
    integer :: i, it, j, k
    logical :: busy
    !$omp parallel do private(i, it, k, th, x, busy) schedule(static)
    do j = 1, st%nlat
       do k = 1, st%nlev
          th(:,k) = st%t(1:st%nlon,j,k)/sig(k)**0.286_rk
       end do
       do it = 1, 30
          busy = .false.
          do k = st%nlev, 2, -1
             do i = 1, st%nlon
                if (th(i,k) > th(i,k-1) + 0.01_rk) then
                   x = 0.5_rk*(th(i,k) + th(i,k-1))
                   th(i,k) = x
                   th(i,k-1) = x
                   busy = .true.
                end if
             end do
          end do
          if (.not. busy) exit
       end do
       do k = 1, st%nlev
          st%t(1:st%nlon,j,k) = th(:,k)*sig(k)**0.286_rk
       end do
    end do
  end subroutine convection

  subroutine condense(st)
    type(state_t), intent(inout) :: st
    real(rk) :: qs, dq, p
    integer :: i, j, k
    !$omp parallel do private(i, k, qs, p) schedule(static)
    do j = 1, st%nlat
       do k = 1, st%nlev
          do i = 1, st%nlon
             p = sig(k)*st%ps(i,j)
             qs = satq(st%t(i,j,k), p)
             dq = max(0.0_rk, st%q(i,j,k,1) - qs)/(1 + 1.35e7_rk*qs/(cp*st%t(i,j,k)**2))
             st%q(i,j,k,1) = st%q(i,j,k,1) - dq
             st%t(i,j,k) = st%t(i,j,k) + 2.5e6_rk/cp*dq
             st%rain(i,j) = st%rain(i,j) + dq*dsig(k)*st%ps(i,j)/grav
          end do
       end do
    end do
  end subroutine condense

  ! borrow negative tracer mass from the other species, limit their sum
  subroutine tracer_fix(st, lost)
    type(state_t), intent(inout) :: st
    real(rk), intent(out) :: lost
    real(rk) :: tot, mine
    integer :: i, j, k, n
    lost = 0
    !$omp parallel private(i, k, n, tot, mine)
    mine = 0
    !$omp do
    do j = 1, st%nlat
       do k = 1, st%nlev
          do i = 1, st%nlon
             tot = 0
             do n = 1, st%ntr
                if (st%q(i,j,k,n) < 0) then
                   mine = mine - st%q(i,j,k,n)
                   st%q(i,j,k,n) = 0
                end if
                tot = tot + st%q(i,j,k,n)
             end do
             if (tot > 0.05_rk) st%q(i,j,k,1:st%ntr) = st%q(i,j,k,1:st%ntr)*0.05_rk/tot
          end do
       end do
    end do
    !$omp end do nowait
    !$omp critical
    lost = lost + mine
    !$omp end critical
    !$omp end parallel
  end subroutine tracer_fix

  ! zonal and vertical budget of this rank: (level, {T, q, u2})
  subroutine level_budget(st, bud)
    type(state_t), intent(in) :: st
    real(rk), intent(out) :: bud(:,:)
    integer :: i, j, k
    bud = 0
    !$omp parallel do private(i, k)
    do j = 1, st%nlat
       do k = 1, st%nlev
          do i = 1, st%nlon
             !$omp atomic
             bud(k,1) = bud(k,1) + st%t(i,j,k)*coslat(j)
             !$omp atomic
             bud(k,2) = bud(k,2) + st%q(i,j,k,1)*coslat(j)
             !$omp atomic
             bud(k,3) = bud(k,3) + st%u(i,j,k)**2*coslat(j)
          end do
       end do
    end do
  end subroutine level_budget

  ! energy balance of the land points
  subroutine land_step(st, solar)
    type(state_t), intent(inout) :: st
    real(rk), intent(in) :: solar
    real(rk) :: tl, evap
    integer :: n, it
    do n = 1, size(land)
       associate (l => land(n))
         tl = st%t(l%i,l%j,st%nlev)
         do it = 1, 5
            evap = 2.5e6_rk*1.0e-5_rk*l%wet*max(0.0_rk, satq(l%ts, st%ps(l%i,l%j)) - st%q(l%i,l%j,st%nlev,1))
            l%flux = 0.2_rk*solar*coslat(l%j)*merge(0.5_rk, 0.8_rk, l%snow) - 5.67e-8_rk*0.3_rk*l%ts**4 - 10*(l%ts - tl) - evap
            l%ts = l%ts + 0.2_rk*cfg%dt*l%flux/(4.0e5_rk*(1 + l%veg))
         end do
         l%snow = l%ts < 271.0_rk
         l%wet = max(0.0_rk, min(1.0_rk, l%wet - 1.0e-9_rk*evap*cfg%dt))
         st%t(l%i,l%j,st%nlev) = tl + 1.0e-5_rk*cfg%dt*(l%ts - tl)
       end associate
    end do
  end subroutine land_step

  ! vertical mixing of heat, moisture and winds
  subroutine turbulence(st, kv)
    type(state_t), intent(inout) :: st
    real(rk), intent(in) :: kv
    real(rk) :: e(st%nlev)
    integer :: j, k, n
    e(1) = kv
    do k = 2, st%nlev
       e(k) = kv/(1 + 2*kv - kv*e(k-1))
    end do
    !$omp parallel private(k, n)
    !$omp do schedule(static)
    do j = 1, st%nlat
       call mix_row(st%nlon, st%t(:,j,:), e)
    end do
    !$omp end do
    !$omp barrier
    do n = 1, st%ntr
       !$omp do schedule(static)
       do j = 1, st%nlat
          call mix_row(st%nlon, st%q(:,j,:,n), e)
       end do
       !$omp end do nowait
    end do
    !$omp do schedule(static)
    do j = 1, st%nlat
       call mix_row(st%nlon, st%u(:,j,:), e)
    end do
    !$omp end do nowait
    !$omp end parallel
  end subroutine turbulence

  subroutine mix_row(n, a, e)
    integer, intent(in) :: n
    real(rk), intent(inout) :: a(0:, :)
    real(rk), intent(in) :: e(:)
    integer :: k
    do k = 2, size(a, 2)
       a(1:n,k) = (a(1:n,k) + e(k)*a(1:n,k-1))/(1 + e(k))
    end do
    do k = size(a, 2) - 1, 1, -1
       a(1:n,k) = (a(1:n,k) + e(k)*a(1:n,k+1))/(1 + e(k))
    end do
  end subroutine mix_row
end module phys_mod
