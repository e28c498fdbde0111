module fields
  use types
  implicit none
  integer, parameter :: niter = 20
contains

  subroutine mesh_create(g, nx, nyglo)
    type(mesh_t), intent(inout) :: g
    integer, intent(in) :: nx, nyglo
    integer :: i, j
    g%nx = nx; g%nyglo = nyglo
    g%ny = nyglo/np_mpi
    g%j0 = me*g%ny
    g%lx = 1._rk; g%ly = real(nyglo,rk)/nx
    g%dx = g%lx/nx; g%dy = g%ly/nyglo
    allocate(g%rho(0:nx+1,0:g%ny+1), g%phi(0:nx+1,0:g%ny+1), g%tmp(0:nx+1,0:g%ny+1))
    allocate(g%eps(0:nx+1,0:g%ny+1), g%e(0:nx+1,0:g%ny+1), g%mom(0:nx+1,0:g%ny+1,4))
    allocate(g%first(nx*g%ny+1), g%npc(nx*g%ny))
!$omp parallel do private(i)
    do j = 0, g%ny+1
       do i = 0, nx+1
          g%phi(i,j) = 0; g%rho(i,j) = 0; g%tmp(i,j) = 0
          g%e(i,j) = vec3(0._rk,0._rk,0._rk)
       end do
    end do
    g%mom = 0
    do i = 0, nx+1
       do j = 0, g%ny+1
          g%eps(i,j) = 1._rk + 0.5_rk*exp(-((i-nx/2)**2+(g%j0+j-nyglo/2)**2)/400._rk)
       end do
    end do
  end subroutine mesh_create

  ! guard rows, periodic in both directions
  subroutine guard(g, f)
    type(mesh_t), intent(in) :: g
    real(rk), intent(inout) :: f(0:g%nx+1,0:g%ny+1)
    integer :: j
    call MPI_Sendrecv(f(0,g%ny), g%nx+2, MPI_DOUBLE_PRECISION, up, 1, &
         f(0,0), g%nx+2, MPI_DOUBLE_PRECISION, down, 1, cart, MPI_STATUS_IGNORE)
    call MPI_Sendrecv(f(0,1), g%nx+2, MPI_DOUBLE_PRECISION, down, 2, &
         f(0,g%ny+1), g%nx+2, MPI_DOUBLE_PRECISION, up, 2, cart, MPI_STATUS_IGNORE)
    do j = 0, g%ny+1
       f(0,j) = f(g%nx,j)
       f(g%nx+1,j) = f(1,j)
    end do
  end subroutine guard

  ! add the charge of the guard rows to the owner; ring in turns
  subroutine fold_rho(g)
    type(mesh_t), intent(inout) :: g
    real(rk) :: row(0:g%nx+1)
    integer :: j
    do j = 0, g%ny+1
       g%rho(1,j) = g%rho(1,j) + g%rho(g%nx+1,j)
       g%rho(g%nx,j) = g%rho(g%nx,j) + g%rho(0,j)
    end do
    if (me == 0) then
       call MPI_Send(g%rho(0,g%ny+1), g%nx+2, MPI_DOUBLE_PRECISION, up, 5, cart)
       call MPI_Recv(row, g%nx+2, MPI_DOUBLE_PRECISION, down, 5, cart, MPI_STATUS_IGNORE)
    else
       call MPI_Recv(row, g%nx+2, MPI_DOUBLE_PRECISION, down, 5, cart, MPI_STATUS_IGNORE)
       call MPI_Send(g%rho(0,g%ny+1), g%nx+2, MPI_DOUBLE_PRECISION, up, 5, cart)
    end if
    g%rho(:,1) = g%rho(:,1) + row
    call MPI_Sendrecv(g%rho(0,0), g%nx+2, MPI_DOUBLE_PRECISION, down, 6, &
         row, g%nx+2, MPI_DOUBLE_PRECISION, up, 6, cart, MPI_STATUS_IGNORE)
    g%rho(:,g%ny) = g%rho(:,g%ny) + row
  end subroutine fold_rho

  ! binomial filter, two passes
  subroutine smooth(g)
    type(mesh_t), intent(inout), target :: g
    real(rk), pointer :: a(:,:), b(:,:)
    integer :: i, j
    call guard(g, g%rho)
    a => g%rho; b => g%tmp
!$omp parallel do private(i)
    do j = 1, g%ny
       do i = 1, g%nx
          b(i+1,j+1) = 0.25_rk*(a(i,j+1) + 2*a(i+1,j+1) + a(i+2,j+1))
       end do
    end do
    call guard(g, g%tmp)
!$omp parallel do private(j)
    do i = 2, g%nx+1
       do j = 2, g%ny+1
          a(i,j) = 0.25_rk*(b(i,j-1) + 2*b(i,j) + b(i,j+1))
       end do
    end do
  end subroutine smooth

  ! Poisson: some damped Jacobi sweeps from the last potential
  subroutine poisson(g)
    type(mesh_t), intent(inout) :: g
    integer :: it, i, j
    real(rk) :: r, h2, mean, rmax, rglo
    type(MPI_Request) :: rq(4)
    h2 = g%dx**2
    mean = sum(g%rho(1:g%nx,1:g%ny))/(g%nx*real(g%ny,rk))
    call MPI_Allreduce(MPI_IN_PLACE, mean, 1, MPI_DOUBLE_PRECISION, MPI_SUM, cart)
    mean = mean/np_mpi
    do it = 1, niter
       call MPI_Irecv(g%phi(0,0), g%nx+2, MPI_DOUBLE_PRECISION, down, 3, cart, rq(1))
       call MPI_Irecv(g%phi(0,g%ny+1), g%nx+2, MPI_DOUBLE_PRECISION, up, 4, cart, rq(2))
       call MPI_Isend(g%phi(0,g%ny), g%nx+2, MPI_DOUBLE_PRECISION, up, 3, cart, rq(3))
       call MPI_Isend(g%phi(0,1), g%nx+2, MPI_DOUBLE_PRECISION, down, 4, cart, rq(4))
       call MPI_Waitall(4, rq, MPI_STATUSES_IGNORE)
       do j = 0, g%ny+1
          g%phi(0,j) = g%phi(g%nx,j)
          g%phi(g%nx+1,j) = g%phi(1,j)
       end do
       rmax = 0
!$omp parallel private(i,j,r)
!$omp do reduction(max:rmax)
       do j = 1, g%ny
          do i = 1, g%nx
             r = 0.25_rk*(g%phi(i-1,j)+g%phi(i+1,j)+g%phi(i,j-1)+g%phi(i,j+1) &
                  + h2*(g%rho(i,j)-mean)/g%eps(i,j)) - g%phi(i,j)
             g%tmp(i,j) = g%phi(i,j) + 0.9_rk*r
             rmax = max(rmax, abs(r))
          end do
       end do
!$omp end do
!$omp barrier
!$omp do
       do j = 1, g%ny
          do i = 1, g%nx
             g%phi(i,j) = g%tmp(i,j)
          end do
       end do
!$omp end do
!$omp end parallel
       if (mod(it,10) == 0) then
          call MPI_Allreduce(rmax, rglo, 1, MPI_DOUBLE_PRECISION, MPI_MAX, cart)
          if (rglo < 1.e-9_rk) exit
       end if
    end do
    call guard(g, g%phi)
  end subroutine poisson

  ! E = -grad phi
  subroutine efield(g)
    type(mesh_t), intent(inout) :: g
    integer :: i, j
    do i = 1, g%nx
       do j = 1, g%ny
          g%e(i,j)%x = -(g%phi(i+1,j)-g%phi(i-1,j))/(2*g%dx)
          g%e(i,j)%y = -(g%phi(i,j+1)-g%phi(i,j-1))/(2*g%dy)
       end do
    end do
    do j = 1, g%ny
       g%e(0,j) = g%e(g%nx,j)
       g%e(g%nx+1,j) = g%e(1,j)
    end do
    call e_guard(g)
  end subroutine efield

  subroutine e_guard(g)
    type(mesh_t), intent(inout) :: g
    integer :: n
    n = 3*(g%nx+2)
    call MPI_Sendrecv(g%e(0,g%ny)%x, n, MPI_DOUBLE_PRECISION, up, 7, &
         g%e(0,0)%x, n, MPI_DOUBLE_PRECISION, down, 7, cart, MPI_STATUS_IGNORE)
    call MPI_Sendrecv(g%e(0,1)%x, n, MPI_DOUBLE_PRECISION, down, 8, &
         g%e(0,g%ny+1)%x, n, MPI_DOUBLE_PRECISION, up, 8, cart, MPI_STATUS_IGNORE)
  end subroutine e_guard
end module fields
