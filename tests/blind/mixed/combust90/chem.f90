module chem_m
  use types_m
  implicit none
  integer, parameter :: ntab = 512
  type(reaction_t) :: rx(10)
  real(dp), allocatable :: table(:,:), jac(:,:), jacinv(:,:), prod(:,:)
contains

  subroutine init_chem(nj)
    integer, intent(in) :: nj
    integer :: i, j
    do i = 1, 10
       rx(i)%r = (/ 1+mod(i,nsp), 1+mod(i+3,nsp) /)
       rx(i)%p = (/ 1+mod(i+1,nsp), 1+mod(i+5,nsp) /)
       rx(i)%a = 1.d3*i; rx(i)%b = 0.5d0; rx(i)%ea = 1.d4 + 500.d0*i
    end do
    allocate(table(ntab,nj))
    allocate(jac(320,320), jacinv(320,320), prod(320,320))
    do j = 1, nj
       do i = 1, ntab
          table(i,j) = exp(-1.d0*i/ntab)*(1.d0 + 0.001d0*j)
       end do
    end do
    do j = 1, 320
       do i = 1, 320
          jac(i,j) = 1.d0/(i+j)
          jacinv(i,j) = merge(1.d0, 0.d0, i == j)
       end do
    end do
  end subroutine init_chem

  subroutine sources(b)
    type(block_t), intent(inout) :: b
    real(dp) :: y(nsp), w(nsp), kf, rate
    integer :: i, j, k, m, n
    do j = 1, b%nj
       do i = 1, b%ni
          do k = 1, b%nk
             do n = 1, nsp
                y(n) = b%q(i,j,k,5+n)/b%q(i,j,k,1)
             end do
             w = 0.d0
             do m = 1, 10
                kf = rx(m)%a*exp(-rx(m)%ea/max(b%pt(i,j,k)%t,300.d0))
                rate = kf*y(rx(m)%r(1))*y(rx(m)%r(2))
                w(rx(m)%r(1)) = w(rx(m)%r(1)) - rate
                w(rx(m)%p(1)) = w(rx(m)%p(1)) + rate
             end do
             b%src(:,i,j,k) = w
          end do
       end do
    end do
    do n = 1, nsp
       do k = 1, b%nk
          do j = 1, b%nj
             do i = 1, b%ni
                b%dq(i,j,k,5+n) = b%dq(i,j,k,5+n) + 1.d-6*b%src(n,i,j,k)
             end do
          end do
       end do
    end do
  end subroutine sources

  function row_integral(row) result(s)
    integer, intent(in) :: row
    real(dp) :: s
    integer :: j
    s = 0.d0
    do j = 1, size(table,2)
       s = s + table(row,j)
    end do
  end function row_integral

  ! preconditioner: product of the sensitivity matrices
  subroutine precond()
    integer :: i, j, k
    prod = 0.d0
    do j = 1, 320
       do k = 1, 320
          do i = 1, 320
             prod(i,j) = prod(i,j) + jac(i,k)*jacinv(k,j)
          end do
       end do
    end do
  end subroutine precond
end module chem_m
