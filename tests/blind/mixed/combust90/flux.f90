module flux_m
  use types_m
  implicit none
  integer :: scheme = 2
contains

  subroutine fluxes(b)
    type(block_t), intent(inout) :: b
    integer :: n
    b%dq = 0.d0
    do n = 1, nv
       call flux_i(b, n)
       call flux_j(b, n)
    end do
    call flux_k(b)
  end subroutine fluxes

  subroutine flux_i(b, n)
    type(block_t), intent(inout) :: b
    integer, intent(in) :: n
    integer :: i, j, k
    real(dp) :: fl, u
    do k = 1, b%nk
       do j = 1, b%nj
          do i = 1, b%ni
             u = b%q(i,j,k,2)/b%q(i,j,k,1)
             select case (scheme)
             case (1)
                fl = u*(b%q(i,j,k,n) - b%q(i-1,j,k,n))
             case (2)
                fl = 0.5d0*u*(b%q(i+1,j,k,n) - b%q(i-1,j,k,n))
                if (u > 50.d0) fl = u*(b%q(i,j,k,n) - b%q(i-1,j,k,n))
             case default
                fl = 0.d0
             end select
             b%dq(i,j,k,n) = b%dq(i,j,k,n) - fl*1.d2
          end do
       end do
    end do
  end subroutine flux_i

  subroutine flux_j(b, n)
    type(block_t), intent(inout), target :: b
    integer, intent(in) :: n
    real(dp), pointer :: f(:,:,:), d(:,:,:)
    real(dp) :: v
    integer :: i, j, k
    f(0:,0:,0:) => b%q(:,:,:,n)
    d => b%dq(:,:,:,n)
    do k = 1, b%nk
       do i = 1, b%ni
          do j = 1, b%nj
             v = b%q(i,j,k,3)/b%q(i,j,k,1)
             d(i,j,k) = d(i,j,k) - 0.5d2*v*(f(i,j+1,k) - f(i,j-1,k))
          end do
       end do
    end do
  end subroutine flux_j

  subroutine flux_k(b)
    type(block_t), intent(inout) :: b
    integer :: i, k, n
    real(dp) :: wk(b%ni,b%nj)
    do n = 1, nv
       do k = 1, b%nk
          wk = b%q(1:b%ni,1:b%nj,k,4)/b%q(1:b%ni,1:b%nj,k,1)
          do i = 1, b%ni
             b%dq(i,:,k,n) = b%dq(i,:,k,n) - 0.5d2*wk(i,:)*(b%q(i,1:b%nj,k+1,n) - b%q(i,1:b%nj,k-1,n))
          end do
       end do
    end do
  end subroutine flux_k

  ! viscous terms along j by lines, on a transposed copy
  subroutine viscous_j(b, nu)
    type(block_t), intent(inout) :: b
    real(dp), intent(in) :: nu
    real(dp) :: qt(0:b%nj+1,b%ni)
    integer :: i, j, k, n
    do n = 2, 4
       do k = 1, b%nk
          do i = 1, b%ni
             do j = 0, b%nj+1
                qt(j,i) = b%q(i,j,k,n)
             end do
          end do
          do i = 1, b%ni
             do j = 1, b%nj
                b%dq(i,j,k,n) = b%dq(i,j,k,n) + nu*(qt(j+1,i) - 2.d0*qt(j,i) + qt(j-1,i))
             end do
          end do
       end do
    end do
  end subroutine viscous_j

  ! line filter along k, the recurrence runs in k
  subroutine filter_k(b, n)
    type(block_t), intent(inout) :: b
    integer, intent(in) :: n
    integer :: i, j, k
    do k = 2, b%nk
       do j = 1, b%nj
          do i = 1, b%ni
             b%dq(i,j,k,n) = 0.95d0*b%dq(i,j,k,n) + 0.05d0*b%dq(i,j,k-1,n)
          end do
       end do
    end do
  end subroutine filter_k
end module flux_m
