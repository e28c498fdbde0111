! Preconditioned conjugate gradients for  -(A + hcof) h = -rhs.
module gw_solve
  use gw_types
  use gw_comm
  implicit none
  real(dp), allocatable, save :: r(:,:,:), p(:,:,:), q(:,:,:), z(:,:,:), dg(:,:,:)
  real(dp), allocatable, save :: gam(:,:)
contains
  subroutine solve_alloc()
    integer :: j
    allocate(r(0:g%nc+1,0:g%nrl+1,0:g%nl+1), p(0:g%nc+1,0:g%nrl+1,0:g%nl+1), q(0:g%nc+1,0:g%nrl+1,0:g%nl+1))
    allocate(z(0:g%nc+1,0:g%nrl+1,0:g%nl+1), dg(0:g%nc+1,0:g%nrl+1,0:g%nl+1))
!$omp parallel do
    do j = 0, g%nrl + 1
       r(:,j,:) = 0.d0; p(:,j,:) = 0.d0; q(:,j,:) = 0.d0; z(:,j,:) = 0.d0; dg(:,j,:) = 1.d0
    end do
  end subroutine solve_alloc
  subroutine build_diag()
    integer :: i, j, k
!$omp parallel do collapse(2) private(i)
    do k = 1, g%nl
       do j = 1, g%nrl
          do i = 1, g%nc
             dg(i,j,k) = cr(i,j,k) + cr(i-1,j,k) + cc(i,j,k) + cc(i,j-1,k) + cv(i,j,k) + cv(i,j,k-1) - hcof(i,j,k)
             if (g%ibound(i,j,k) <= 0) dg(i,j,k) = 1.d0
          end do
       end do
    end do
  end subroutine build_diag
  subroutine matvec(x, y)
    real(dp), intent(inout) :: x(0:,0:,0:)
    real(dp), intent(inout) :: y(0:,0:,0:)
    integer :: i, j, k
    call halo_start(x)
    call halo_finish(x)
!$omp parallel do collapse(2) private(i)
    do k = 1, g%nl
       do j = 1, g%nrl
          do i = 1, g%nc
             if (g%ibound(i,j,k) <= 0) then
                y(i,j,k) = x(i,j,k)
             else
                y(i,j,k) = dg(i,j,k)*x(i,j,k) - cr(i,j,k)*x(i+1,j,k) - cr(i-1,j,k)*x(i-1,j,k) &
                     - cc(i,j,k)*x(i,j+1,k) - cc(i,j-1,k)*x(i,j-1,k) &
                     - cv(i,j,k)*x(i,j,k+1) - cv(i,j,k-1)*x(i,j,k-1)
             end if
          end do
       end do
    end do
  end subroutine matvec
  ! vertical lines; all columns of a row advance together
  subroutine precond(rr, zz)
    real(dp), intent(in) :: rr(0:,0:,0:)
    real(dp), intent(inout) :: zz(0:,0:,0:)
    real(dp) :: w(0:g%nc+1, g%nl), bet(0:g%nc+1)
    integer :: i, j, k
!$omp parallel do private(i,k,w,bet)
    do j = 1, g%nrl
       bet(1:g%nc) = dg(1:g%nc,j,1)
       zz(1:g%nc,j,1) = rr(1:g%nc,j,1)/bet(1:g%nc)
       do k = 2, g%nl
          do i = 1, g%nc
             w(i,k) = -cv(i,j,k-1)/bet(i)
             bet(i) = dg(i,j,k) + cv(i,j,k-1)*w(i,k)
             zz(i,j,k) = (rr(i,j,k) + cv(i,j,k-1)*zz(i,j,k-1))/bet(i)
          end do
       end do
       do k = g%nl - 1, 1, -1
          do i = 1, g%nc
             zz(i,j,k) = zz(i,j,k) - w(i,k+1)*zz(i,j,k+1)
          end do
       end do
    end do
  end subroutine precond
  function pdot(a, b) result(s)
    real(dp), intent(in) :: a(0:,0:,0:), b(0:,0:,0:)
    real(dp) :: s
    integer :: i, j, k
    s = 0.d0
!$omp parallel do collapse(2) private(i) reduction(+:s)
    do k = 1, g%nl
       do j = 1, g%nrl
          do i = 1, g%nc
             s = s + a(i,j,k)*b(i,j,k)
          end do
       end do
    end do
  end function pdot
  subroutine pcg(h, tol, maxit, nit)
    real(dp), intent(inout) :: h(0:,0:,0:)
    real(dp), intent(in) :: tol
    integer, intent(in) :: maxit
    integer, intent(out) :: nit
    real(dp) :: rz, rzold, pq, alpha, beta, rr(2)
    integer :: i, j, k
    call matvec(h, q)
!$omp parallel do collapse(2)
    do k = 1, g%nl
       do j = 1, g%nrl
          r(1:g%nc,j,k) = merge(-rhs(1:g%nc,j,k) - q(1:g%nc,j,k), 0.d0, g%ibound(1:g%nc,j,k) > 0)
       end do
    end do
    rzold = 1.d0
    do nit = 1, maxit
       call precond(r, z)
       rr = (/ pdot(r, z), pdot(r, r) /)
       call gsum_vec(rr, 2)
       if (sqrt(rr(2)) < tol) exit
       rz = rr(1)
       beta = merge(0.d0, rz/rzold, nit == 1)
       rzold = rz
!$omp parallel do
       do i = 1, g%nc
          p(i,1:g%nrl,1:g%nl) = z(i,1:g%nrl,1:g%nl) + beta*p(i,1:g%nrl,1:g%nl)
       end do
       call matvec(p, q)
       pq = gsum(pdot(p, q))
       alpha = rz/pq
!$omp parallel private(j,k)
!$omp do collapse(2)
       do k = 1, g%nl
          do j = 1, g%nrl
             h(1:g%nc,j,k) = h(1:g%nc,j,k) + alpha*p(1:g%nc,j,k)
          end do
       end do
!$omp end do
!$omp do collapse(2)
       do k = 1, g%nl
          do j = 1, g%nrl
             r(1:g%nc,j,k) = r(1:g%nc,j,k) - alpha*q(1:g%nc,j,k)
          end do
       end do
!$omp end do nowait
!$omp end parallel
    end do
    call halo_rows(h)
  end subroutine pcg
  ! zebra sweeps along the rows to damp the start residual
  subroutine zebra(h, nsweep)
    real(dp), intent(inout) :: h(0:,0:,0:)
    integer, intent(in) :: nsweep
    integer :: i, j, k, is, col
    real(dp) :: s
    do is = 1, nsweep
!$omp parallel private(i,j,k,s,col)
       do col = 0, 1
!$omp do collapse(2)
       do k = 1, g%nl
          do j = 1, g%nrl
             if (mod(j + k + g%r0, 2) /= col) cycle
             do i = 2, g%nc - 1
                s = cr(i,j,k)*h(i+1,j,k) + cr(i-1,j,k)*h(i-1,j,k) + cc(i,j,k)*h(i,j+1,k) &
                     + cc(i,j-1,k)*h(i,j-1,k) + cv(i,j,k)*h(i,j,k+1) + cv(i,j,k-1)*h(i,j,k-1)
                h(i,j,k) = (s - rhs(i,j,k))/dg(i,j,k)
             end do
          end do
       end do
!$omp end do
       end do
!$omp end parallel
       call halo_rows(h)
    end do
  end subroutine zebra
end module gw_solve
