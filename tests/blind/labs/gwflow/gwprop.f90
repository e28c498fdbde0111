! Hydraulic properties: saturated thickness, conductances, storage.
module gw_prop
  use gw_types
  use gw_comm
  implicit none
  logical, save :: have_static = .false.
contains
  subroutine alloc_model()
    integer :: i, j, k, gj
    allocate(lay(g%nl), g%top(0:g%nc+1,0:g%nrl+1), g%bot(0:g%nc+1,0:g%nrl+1,g%nl))
    allocate(g%ibound(0:g%nc+1,0:g%nrl+1,0:g%nl+1), g%izone(g%nc,g%nrl,g%nl))
    allocate(hnew(0:g%nc+1,0:g%nrl+1,0:g%nl+1), hold(0:g%nc+1,0:g%nrl+1,0:g%nl+1))
    allocate(cr(0:g%nc+1,0:g%nrl+1,0:g%nl+1), cc(0:g%nc+1,0:g%nrl+1,0:g%nl+1), cv(0:g%nc+1,0:g%nrl+1,0:g%nl+1))
    allocate(hcof(0:g%nc+1,0:g%nrl+1,0:g%nl+1), rhs(0:g%nc+1,0:g%nrl+1,0:g%nl+1))
    g%ibound = 0
    cr = 0.d0; cc = 0.d0; cv = 0.d0
!$omp parallel do collapse(2) private(i)
    do k = 0, g%nl + 1
       do j = 0, g%nrl + 1
          do i = 0, g%nc + 1
             hnew(i,j,k) = 60.d0; hcof(i,j,k) = 0.d0
             hold(i,j,k) = 60.d0; rhs(i,j,k)  = 0.d0
          end do
       end do
    end do
    do k = 1, g%nl
       lay(k)%convertible = k <= 2
       lay(k)%vka = 0.1d0/k
       allocate(lay(k)%hk(0:g%nc+1,0:g%nrl+1), lay(k)%sat(0:g%nc+1,0:g%nrl+1))
    end do
    do i = 0, g%nc + 1
       do j = 0, g%nrl + 1
          gj = j + g%r0
          g%top(i,j) = 70.d0 + 4.d0*sin(0.02d0*i)*cos(0.017d0*gj)
          do k = 1, g%nl
             g%bot(i,j,k) = g%top(i,j) - 14.d0*k
             lay(k)%hk(i,j) = 8.d0/k*(1.1d0 + sin(0.3d0*i + 0.2d0*gj + k))
             lay(k)%sat(i,j) = 14.d0
          end do
       end do
    end do
    g%ibound(1:g%nc,1:g%nrl,1:g%nl) = 1
    g%ibound(1,:,:) = -1; g%ibound(g%nc,:,:) = -1
    do concurrent (k = 1:g%nl, j = 1:g%nrl, i = 1:g%nc)
       g%izone(i,j,k) = 1 + mod(i/16 + 3*((j + g%r0)/16) + k, nzone)
    end do
    hnew(1,:,:) = 62.d0; hnew(g%nc,:,:) = 58.d0
    hold = hnew
  end subroutine alloc_model
  ! saturated thickness of the convertible layers
  subroutine update_sat()
    integer :: i, j, k
    do k = 1, g%nl
       if (.not. lay(k)%convertible) cycle
       associate (s => lay(k)%sat)
!$omp parallel do private(i)
       do j = 0, g%nrl + 1
          do i = 1, g%nc
             s(i,j) = max(0.05d0, min(14.d0, hnew(i,j,k) - g%bot(i,j,k)))
          end do
       end do
       end associate
    end do
  end subroutine update_sat
  pure function harm(ta, tb, w) result(c)
    real(dp), intent(in) :: ta, tb, w
    real(dp) :: c
    c = 2.d0*ta*tb/(ta + tb + 1.d-30)*w
  end function harm
  subroutine conduct()
    integer :: i, j, k
    real(dp) :: ta, tb, wx, wy
    wx = g%dy/g%dx; wy = g%dx/g%dy
    do k = 1, g%nl
       if (have_static .and. .not. lay(k)%convertible) cycle
       ! along the rows
!$omp parallel do private(i)
       do j = 1, g%nrl
          do i = 1, g%nc - 1
             cr(i,j,k) = harm(lay(k)%hk(i,j)*lay(k)%sat(i,j), lay(k)%hk(i+1,j)*lay(k)%sat(i+1,j), wx)
          end do
       end do
       ! along the columns; keep the transmissivity of the last row
!$omp parallel do private(j,ta,tb)
       do i = 1, g%nc
          ta = lay(k)%hk(i,0)*lay(k)%sat(i,0)
          do j = 0, g%nrl
             tb = lay(k)%hk(i,j+1)*lay(k)%sat(i,j+1)
             cc(i,j,k) = harm(ta, tb, wy)
             ta = tb
          end do
       end do
    end do
    if (north == mpi_proc_null) cc(:,0,:) = 0.d0
    if (south == mpi_proc_null) cc(:,g%nrl,:) = 0.d0
    call conduct_v()
    have_static = .true.
  end subroutine conduct
  subroutine conduct_v()
    integer :: i, j, k
    real(dp) :: area, b1, b2
    area = g%dx*g%dy
!$omp parallel do private(i,k,b1,b2)
    do j = 1, g%nrl
       do i = 1, g%nc
          if (g%ibound(i,j,1) == 0) cycle
          b1 = 0.5d0*lay(1)%sat(i,j)/(lay(1)%vka*lay(1)%hk(i,j))
          do k = 1, g%nl - 1
             b2 = 0.5d0*lay(k+1)%sat(i,j)/(lay(k+1)%vka*lay(k+1)%hk(i,j))
             cv(i,j,k) = area/(b1 + b2)
             b1 = b2
          end do
       end do
    end do
  end subroutine conduct_v
  pure function capacity(k) result(s)
    integer, intent(in) :: k
    real(dp) :: s
    s = merge(lay(k)%sy, lay(k)%ss*14.d0, lay(k)%convertible)*g%dx*g%dy
  end function capacity
  subroutine put_storage(i, j, k, rdt)
    integer, intent(in) :: i, j, k
    real(dp), intent(in) :: rdt
    hcof(i,j,k) = -capacity(k)*rdt
    rhs(i,j,k)  = hcof(i,j,k)*hold(i,j,k)
  end subroutine put_storage
  subroutine storage(dt)
    real(dp), intent(in) :: dt
    integer :: i, j, k
!$omp parallel do private(j,k)
    do i = 1, g%nc
       do j = 1, g%nrl
          do k = 1, g%nl
             call put_storage(i, j, k, 1.d0/dt)
          end do
       end do
    end do
  end subroutine storage
end module gw_prop
