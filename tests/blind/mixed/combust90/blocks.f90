module blocks_m
  use types_m
  implicit none
contains

  subroutine make_block(b, id, ni, nj, nk)
    type(block_t), intent(inout) :: b
    integer, intent(in) :: id, ni, nj, nk
    integer :: i, j, k, n
    b%id = id; b%ni = ni; b%nj = nj; b%nk = nk
    allocate(b%q(0:ni+1,0:nj+1,0:nk+1,nv), b%dq(ni,nj,nk,nv))
    allocate(b%vol(ni,nj,nk), b%src(nsp,ni,nj,nk), b%pt(ni,nj,nk))
    do i = 1, ni
       do j = 1, nj
          do k = 1, nk
             b%vol(i,j,k) = 1.d-9*(1.d0 + 0.01d0*sin(0.1d0*(i+j+k)))
          end do
       end do
    end do
    b%q = 0.d0
    do k = 0, nk+1
       do j = 0, nj+1
          do i = 0, ni+1
             b%q(i,j,k,1) = 1.2d0
             b%q(i,j,k,2) = 1.2d0*(5.d0 + sin(0.2d0*j))
             b%q(i,j,k,5) = 1.2d0*8.d5
             do n = 1, nsp
                b%q(i,j,k,5+n) = 1.2d0/nsp
             end do
          end do
       end do
    end do
    do n = 1, 6
       b%bc(n)%wall = mod(n,2) == 0
       b%bc(n)%twall = 300.d0 + n
       b%bc(n)%kind = n
       b%bc(n)%vwall = 0.d0
    end do
  end subroutine make_block

  ! state from conserved variables
  subroutine update_points(b)
    type(block_t), intent(inout) :: b
    integer :: i, j, k, n
    real(dp) :: ri, e
    do k = 1, b%nk
       do j = 1, b%nj
          do i = 1, b%ni
             ri = 1.d0/b%q(i,j,k,1)
             e = (b%q(i,j,k,5) - 0.5d0*ri*(b%q(i,j,k,2)**2 + b%q(i,j,k,3)**2 + b%q(i,j,k,4)**2))*ri
             b%pt(i,j,k)%rho = b%q(i,j,k,1)
             b%pt(i,j,k)%t = e/1000.d0
             b%pt(i,j,k)%cp = 1000.d0
             b%pt(i,j,k)%gam = 1.4d0
             b%pt(i,j,k)%p = 0.4d0*e*b%q(i,j,k,1)
             b%pt(i,j,k)%a = sqrt(1.4d0*0.4d0*e)
             b%pt(i,j,k)%mu = 1.8d-5*(e/3.d5)**0.7d0
             b%pt(i,j,k)%lam = 0.025d0
             b%pt(i,j,k)%h = 1.4d0*e
             do n = 1, nsp
                b%pt(i,j,k)%x(n) = b%q(i,j,k,5+n)*ri
             end do
          end do
       end do
    end do
  end subroutine update_points

  function max_wave(b) result(s)
    type(block_t), intent(in) :: b
    real(dp) :: s
    integer :: i, j, k
    s = 0.d0
    do k = 1, b%nk
       do j = 1, b%nj
          do i = 1, b%ni
             s = max(s, b%pt(i,j,k)%a)
          end do
       end do
    end do
  end function max_wave

  subroutine advance(b, dt)
    type(block_t), intent(inout) :: b
    real(dp), intent(in) :: dt
    integer :: i, j, k, n
    do n = 1, nv
       do i = 1, b%ni
          do k = 1, b%nk
             do j = 1, b%nj
                b%q(i,j,k,n) = b%q(i,j,k,n) + dt*b%dq(i,j,k,n)
             end do
          end do
       end do
    end do
  end subroutine advance

  subroutine apply_bc(b)
    type(block_t), intent(inout) :: b
    integer :: j, k, n
    do n = 1, nv
       do k = 1, b%nk
          do j = 1, b%nj
             b%q(0,j,k,n) = b%q(1,j,k,n)
             b%q(b%ni+1,j,k,n) = b%q(b%ni,j,k,n)
          end do
       end do
       b%q(:,0,:,n) = b%q(:,1,:,n)
       b%q(:,b%nj+1,:,n) = b%q(:,b%nj,:,n)
    end do
  end subroutine apply_bc
end module blocks_m
