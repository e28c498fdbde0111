module particles
  use types
  use fields
  use omp_lib
  implicit none
contains

  ! quiet start: low-discrepancy loading, Maxwellian by pairs
  subroutine load(s, g, ppc, q, m, vth)
    type(species_t), intent(inout) :: s
    type(mesh_t), intent(in) :: g
    integer, intent(in) :: ppc
    real(rk), intent(in) :: q, m, vth
    integer :: n, k
    real(rk) :: r1, r2, r3
    s%q = q; s%m = m
    s%np = ppc*g%nx*g%ny
    s%npmax = int(1.5*s%np)
    allocate(s%p(s%npmax), s%buf(s%npmax))
    do n = 1, s%np
       call random_number(r1); call random_number(r2); call random_number(r3)
       s%p(n)%x = r3*g%lx
       s%p(n)%y = (g%j0 + mod(n*0.6180339887_rk, 1._rk)*g%ny)*g%dy
       if (r3 > 0.5_rk .and. r2 > 0.3_rk) s%p(n)%x = 0.5_rk*g%lx + 0.1_rk*r1
       s%p(n)%vx = vth*sqrt(-2*log(r1+1.e-12_rk))*cos(6.2831853_rk*r2)
       s%p(n)%vy = vth*sqrt(-2*log(r1+1.e-12_rk))*sin(6.2831853_rk*r2)
       s%p(n)%vz = 0
       s%p(n)%wgt = 1._rk/ppc
       s%p(n)%x0 = s%p(n)%x; s%p(n)%y0 = s%p(n)%y
       s%p(n)%tbirth = 0; s%p(n)%eint = 0
       s%p(n)%id = n; s%p(n)%src = me; s%p(n)%species = 1; s%p(n)%charge = 1
       do k = 1, 4
          s%p(n)%hist(k) = 0
       end do
    end do
  end subroutine load

  subroutine push(s, g, dt)
    type(species_t), intent(inout) :: s
    type(mesh_t), intent(in) :: g
    real(rk), intent(in) :: dt
    integer :: n, i, j
    real(rk) :: fx, fy, ax, ay, qm
    qm = s%q/s%m
!$omp parallel do private(i,j,fx,fy,ax,ay) schedule(static)
    do n = 1, s%np
       fx = s%p(n)%x/g%dx; fy = s%p(n)%y/g%dy - g%j0
       i = int(fx); j = int(fy)
       fx = fx - i; fy = fy - j
       ax = (1-fy)*((1-fx)*g%e(i,j)%x + fx*g%e(i+1,j)%x) + fy*((1-fx)*g%e(i,j+1)%x + fx*g%e(i+1,j+1)%x)
       ay = (1-fy)*((1-fx)*g%e(i,j)%y + fx*g%e(i+1,j)%y) + fy*((1-fx)*g%e(i,j+1)%y + fx*g%e(i+1,j+1)%y)
       s%p(n)%vx = s%p(n)%vx + qm*dt*ax
       s%p(n)%vy = s%p(n)%vy + qm*dt*ay
       s%p(n)%x = modulo(s%p(n)%x + dt*s%p(n)%vx, g%lx*(1-1.e-14_rk))
       s%p(n)%y = s%p(n)%y + dt*s%p(n)%vy
    end do
!$omp end parallel do
  end subroutine push

  ! electrons: one private copy of rho for each thread
  subroutine deposit(s, g)
    type(species_t), intent(in) :: s
    type(mesh_t), intent(inout) :: g
    real(rk), allocatable :: r(:,:,:)
    real(rk) :: fx, fy, qw
    integer :: n, i, j, it
    allocate(r(0:g%nx+1,0:g%ny+1,0:nthreads-1))
!$omp parallel private(n,i,j,it,fx,fy,qw)
    it = omp_get_thread_num()
    r(:,:,it) = 0
!$omp do
    do n = 1, s%np
       fx = s%p(n)%x/g%dx; fy = s%p(n)%y/g%dy - g%j0
       i = int(fx); j = int(fy)
       fx = fx - i; fy = fy - j
       qw = s%q*s%p(n)%wgt
       r(i,j,it)     = r(i,j,it)     + qw*(1-fx)*(1-fy)
       r(i+1,j,it)   = r(i+1,j,it)   + qw*fx*(1-fy)
       r(i,j+1,it)   = r(i,j+1,it)   + qw*(1-fx)*fy
       r(i+1,j+1,it) = r(i+1,j+1,it) + qw*fx*fy
    end do
!$omp end do
!$omp do
    do j = 0, g%ny+1
       do it = 0, nthreads-1
          do i = 0, g%nx+1
             g%rho(i,j) = g%rho(i,j) + r(i,j,it)
          end do
       end do
    end do
!$omp end do
!$omp end parallel
    deallocate(r)
  end subroutine deposit

  ! ions, added by a student; bare arrays of the coordinates
  subroutine deposit_xy(np, x, y, qw, g)
    integer, intent(in) :: np
    real(rk), intent(in) :: x(np), y(np), qw
    type(mesh_t), intent(inout) :: g
    real(rk) :: fx, fy
    integer :: n, i, j
!$omp parallel do private(i,j,fx,fy)
    do n = 1, np
       fx = x(n)/g%dx; fy = y(n)/g%dy - g%j0
       i = int(fx); j = int(fy)
       fx = fx - i; fy = fy - j
       g%rho(i,j)     = g%rho(i,j)     + qw*(1-fx)*(1-fy)
       g%rho(i+1,j)   = g%rho(i+1,j)   + qw*fx*(1-fy)
       g%rho(i,j+1)   = g%rho(i,j+1)   + qw*(1-fx)*fy
       g%rho(i+1,j+1) = g%rho(i+1,j+1) + qw*fx*fy
    end do
!$omp end parallel do
  end subroutine deposit_xy

  ! counting sort by cells, buffer swapped in
  subroutine sort_cells(s, g)
    type(species_t), intent(inout) :: s
    type(mesh_t), intent(inout) :: g
    type(particle), allocatable :: t(:)
    integer, allocatable :: pos(:)
    integer :: n, ic
    g%npc = 0
    do n = 1, s%np
       ic = cell_of(s%p(n), g)
       g%npc(ic) = g%npc(ic) + 1
    end do
    allocate(pos(g%nx*g%ny))
    g%first(1) = 1
    do ic = 1, g%nx*g%ny
       g%first(ic+1) = g%first(ic) + g%npc(ic)
       pos(ic) = g%first(ic)
    end do
    do n = 1, s%np
       ic = cell_of(s%p(n), g)
       s%buf(pos(ic)) = s%p(n)
       pos(ic) = pos(ic) + 1
    end do
    call move_alloc(s%p, t)
    call move_alloc(s%buf, s%p)
    call move_alloc(t, s%buf)
  end subroutine sort_cells

  pure integer function cell_of(p, g)
    type(particle), intent(in) :: p
    type(mesh_t), intent(in) :: g
    integer :: i, j
    i = min(g%nx-1, max(0, int(p%x/g%dx)))
    j = min(g%ny-1, max(0, int(p%y/g%dy) - g%j0))
    cell_of = 1 + i + j*g%nx
  end function cell_of

  ! binary collisions inside of the cells (pairs), work ~ npc
  subroutine collide(s, g, nu)
    type(species_t), intent(inout) :: s
    type(mesh_t), intent(in) :: g
    real(rk), intent(in) :: nu
    integer :: ic, a, b, na
    real(rk) :: gx, gy, c, sn, gx2
!$omp parallel do private(a,b,na,gx,gy,c,sn,gx2) schedule(static)
    do ic = 1, g%nx*g%ny
       na = g%npc(ic)
       do a = g%first(ic), g%first(ic)+na-1
          do b = a+1, g%first(ic)+na-1
             gx = s%p(a)%vx - s%p(b)%vx
             gy = s%p(a)%vy - s%p(b)%vy
             c = 1 - 0.5_rk*(nu/(1+gx*gx+gy*gy))**2
             sn = sqrt(1-c*c)
             gx2 = c*gx - sn*gy
             s%p(a)%vx = s%p(a)%vx + 0.5_rk*(gx2-gx)
             s%p(b)%vx = s%p(b)%vx - 0.5_rk*(gx2-gx)
          end do
       end do
    end do
!$omp end parallel do
  end subroutine collide
end module particles
