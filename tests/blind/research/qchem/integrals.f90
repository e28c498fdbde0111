module integrals
  use qc_kinds
  use basis_mod
  implicit none
contains
  pure real(dp) function boys0(t) result(f)
    real(dp), intent(in) :: t
    f = 1.0_dp - t/3.0_dp
    if (t > 1.0e-7_dp) f = 0.5_dp*sqrt(pi/t)*erf(sqrt(t))
  end function boys0

  subroutine one_electron(m, n, s, h)
    type(mol_t), intent(in) :: m
    integer, intent(in) :: n
    real(dp), intent(out) :: s(n,n), h(n,n)
    real(dp) :: ai, aj, p, mu, r2, cc, st, kt, vt, pc(3), ov
    integer  :: i, j, k, l, ic
    do j = 1, n
       do i = 1, j
          st = 0.0_dp; kt = 0.0_dp; vt = 0.0_dp
          r2 = sum((m%sh(i)%center - m%sh(j)%center)**2)
          do k = m%sh(i)%first, m%sh(i)%first + m%sh(i)%nprim - 1
             do l = m%sh(j)%first, m%sh(j)%first + m%sh(j)%nprim - 1
                ai = m%prim(k)%alpha; aj = m%prim(l)%alpha
                p = ai + aj; mu = ai*aj/p
                cc = m%prim(k)%coef*m%prim(l)%coef*m%prim(k)%norm*m%prim(l)%norm
                ov = cc*(pi/p)**1.5_dp*exp(-mu*r2)
                st = st + ov
                kt = kt + ov*mu*(3.0_dp - 2.0_dp*mu*r2)
                pc = (ai*m%sh(i)%center + aj*m%sh(j)%center)/p
                do ic = 1, m%natom
                   vt = vt - m%z(ic)*cc*2.0_dp*pi/p*exp(-mu*r2) &
                        *boys0(p*sum((pc - m%xyz(:,ic))**2))
          end do; end do; end do
          s(i,j) = st; s(j,i) = st
          h(i,j) = kt + vt; h(j,i) = kt + vt
    end do; end do
  end subroutine one_electron

  subroutine build_pairs(m, n, pairs, npair)
    type(mol_t), intent(in) :: m
    integer, intent(in) :: n
    type(pair_t), allocatable, intent(out) :: pairs(:)
    integer, intent(out) :: npair
    real(dp) :: ai, aj, p, r2
    integer  :: i, j, k, l, ij, q
    npair = n*(n + 1)/2
    allocate(pairs(npair))
    do i = 1, n
       do j = 1, i
          ij = i*(i - 1)/2 + j
          pairs(ij)%i = i; pairs(ij)%j = j
          r2 = sum((m%sh(i)%center - m%sh(j)%center)**2)
          q = 0
          do k = m%sh(i)%first, m%sh(i)%first + m%sh(i)%nprim - 1
             do l = m%sh(j)%first, m%sh(j)%first + m%sh(j)%nprim - 1
                q = q + 1
                ai = m%prim(k)%alpha; aj = m%prim(l)%alpha; p = ai + aj
                pairs(ij)%zeta(q) = p
                pairs(ij)%p(:,q) = (ai*m%sh(i)%center + aj*m%sh(j)%center)/p
                pairs(ij)%coef(q) = m%prim(k)%coef*m%prim(l)%coef*m%prim(k)%norm &
                     *m%prim(l)%norm*exp(-ai*aj/p*r2)/p
          end do; end do
          pairs(ij)%npp = q
          pairs(ij)%bound = sqrt(abs(eri_pair(pairs(ij), pairs(ij))))
    end do; end do
  end subroutine build_pairs

  real(dp) function eri_pair(a, b) result(v)
    type(pair_t), intent(in) :: a, b
    real(dp) :: zs, r2
    integer  :: k, l
    v = 0.0_dp
    do k = 1, a%npp
       do l = 1, b%npp
          zs = a%zeta(k) + b%zeta(l)
          r2 = sum((a%p(:,k) - b%p(:,l))**2)
          v = v + a%coef(k)*b%coef(l)*boys0(a%zeta(k)*b%zeta(l)/zs*r2)/sqrt(zs)
    end do; end do
    v = 2.0_dp*pi**2.5_dp*v
    call cntq(1)
  end function eri_pair

  ! all integrals in core, full square
  subroutine eri_incore(pairs, npair, n, thr, eri)
    type(pair_t), intent(in) :: pairs(:)
    integer,  intent(in) :: npair, n
    real(dp), intent(in) :: thr
    real(dp), allocatable, intent(out) :: eri(:,:,:,:)
    real(dp) :: v
    integer  :: ij, kl, i, j, k, l
    allocate(eri(n,n,n,n))
    eri = 0.0_dp
    !$omp parallel do schedule(dynamic,2) private(kl, v, i, j, k, l)
    do ij = npair, 1, -1
       i = pairs(ij)%i; j = pairs(ij)%j
       do kl = 1, ij
          if (pairs(ij)%bound*pairs(kl)%bound < thr) cycle
          v = eri_pair(pairs(ij), pairs(kl))
          k = pairs(kl)%i; l = pairs(kl)%j
          eri(i,j,k,l) = v; eri(j,i,k,l) = v; eri(i,j,l,k) = v; eri(j,i,l,k) = v
          eri(k,l,i,j) = v; eri(l,k,i,j) = v; eri(k,l,j,i) = v; eri(l,k,j,i) = v
    end do; end do
    call drop_small(eri, n)
  end subroutine eri_incore

  subroutine drop_small(g, n)
    integer  :: n, i, j, k, l
    real(dp) :: g(n,n,n,n)
    do i = 1, n
       do j = 1, n
          do k = 1, n
             do l = 1, n
                if (abs(g(i,j,k,l)) < tiny_int) g(i,j,k,l) = 0.0_dp
    end do; end do; end do; end do
  end subroutine drop_small
end module integrals
