module basis_mod
  use qc_kinds
  implicit none
  integer, parameter :: maxprim = 4, maxpp = maxprim*maxprim
  ! one primitive gaussian, in the order the old input cards had them
  type :: prim_t
     logical  :: active
     real(dp) :: alpha
     integer  :: shell
     real(dp) :: coef
     integer  :: atom
     real(dp) :: center(3)
     integer  :: lang
     real(dp) :: norm
  end type prim_t
  type :: shell_t
     real(dp) :: center(3), rmax
     integer  :: first, nprim, atom, lang
  end type shell_t
  ! charge distribution of two shells
  type :: pair_t
     real(dp) :: bound
     real(dp) :: zeta(maxpp), coef(maxpp), p(3,maxpp)
     integer  :: i, j, npp
  end type pair_t
  type :: mol_t
     integer :: natom = 0, nshell = 0, nelec = 0
     real(dp), allocatable      :: xyz(:,:), z(:)
     type(prim_t),  allocatable :: prim(:)
     type(shell_t), allocatable :: sh(:)
  end type mol_t
contains
  ! chain of H2 units, 6-31G contraction
  subroutine build_molecule(m, natom)
    type(mol_t), intent(inout) :: m
    integer, intent(in) :: natom
    real(dp), parameter :: ex(4) = [18.7311370_dp, 2.8253937_dp, 0.6401217_dp, 0.1612778_dp]
    real(dp), parameter :: cf(4) = [0.0334946_dp, 0.2347270_dp, 0.8137573_dp, 1.0_dp]
    integer :: ia, ip, is, k
    m%natom = natom; m%nelec = natom; m%nshell = 2*natom
    allocate(m%xyz(3,natom), m%z(natom), m%prim(4*natom), m%sh(2*natom))
    m%z = 1.0_dp
    do ia = 1, natom
       m%xyz(:,ia) = [2.6_dp*(ia - 1) - 1.2_dp*mod(ia - 1, 2), 0.15_dp*mod(ia, 3), 0.0_dp]
    end do
    ip = 0; is = 0
    do ia = 1, natom
       do k = 1, 4
          ip = ip + 1
          if (k == 1 .or. k == 4) then
             is = is + 1
             m%sh(is) = shell_t(m%xyz(:,ia), sqrt(30.0_dp/ex(4)), ip, merge(3, 1, k == 1), ia, 0)
          end if
          m%prim(ip) = prim_t(.true., ex(k), is, cf(k), ia, m%xyz(:,ia), 0, (2.0_dp*ex(k)/pi)**0.75_dp)
    end do; end do
  end subroutine build_molecule

  real(dp) function nuclear_repulsion(m) result(e)
    type(mol_t), intent(in) :: m
    integer :: i, j
    e = 0.0_dp
    do i = 2, m%natom
       do j = 1, i - 1
          e = e + m%z(i)*m%z(j)/norm2(m%xyz(:,i) - m%xyz(:,j))
    end do; end do
  end function nuclear_repulsion

  subroutine eval_basis(m, r, phi)
    type(mol_t), intent(in) :: m
    real(dp), intent(in)  :: r(3)
    real(dp), intent(out) :: phi(:)
    real(dp) :: r2
    integer  :: ip
    phi = 0.0_dp
    do ip = 1, size(m%prim)
       if (.not. m%prim(ip)%active) cycle
       r2 = (r(1) - m%prim(ip)%center(1))**2 + (r(2) - m%prim(ip)%center(2))**2 &
            + (r(3) - m%prim(ip)%center(3))**2
       phi(m%prim(ip)%shell) = phi(m%prim(ip)%shell) &
            + m%prim(ip)%coef*m%prim(ip)%norm*exp(-m%prim(ip)%alpha*r2)
    end do
  end subroutine eval_basis

  ! electron density along the molecular axis, for plotting
  subroutine density_line(m, d, n, npt, rho, qint)
    type(mol_t), intent(in) :: m
    integer,  intent(in)  :: n, npt
    real(dp), intent(in)  :: d(n,n)
    real(dp), intent(out) :: rho(npt), qint
    real(dp) :: phi(n), r(3), x0, dx, s
    integer  :: ig, i, j
    x0 = m%xyz(1,1) - 4.0_dp
    dx = (m%xyz(1,m%natom) + 4.0_dp - x0)/(npt - 1)
    qint = 0.0_dp
    !$omp parallel do private(phi, r, s, i, j) reduction(+:qint) schedule(static)
    do ig = 1, npt
       r = [x0 + dx*(ig - 1), 0.05_dp, 0.10_dp]
       call eval_basis(m, r, phi)
       s = 0.0_dp
       do j = 1, n
          do i = 1, n
             s = s + d(i,j)*phi(i)*phi(j)
       end do; end do
       rho(ig) = s
       qint = qint + s*dx
    end do
  end subroutine density_line
end module basis_mod
