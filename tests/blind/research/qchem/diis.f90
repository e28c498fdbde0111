module diis_mod
  use qc_kinds
  implicit none
  type :: diis_t
     integer :: n = 0, maxh = 8, nh = 0, head = 0
     real(dp), allocatable :: f(:,:,:), e(:,:,:), b(:,:)
  end type diis_t
contains
  subroutine diis_init(h, n)
    type(diis_t), intent(inout) :: h
    integer, intent(in) :: n
    h%n = n
    allocate(h%f(n,n,h%maxh), h%e(n,n,h%maxh), h%b(h%maxh,h%maxh))
    h%b = 0.0_dp
  end subroutine diis_init

  ! e = F D S - S D F , x is used as scratch
  subroutine diis_push(h, f, d, s, x, errmax)
    type(diis_t), intent(inout) :: h
    real(dp), intent(in)    :: f(h%n,h%n), d(h%n,h%n), s(h%n,h%n)
    real(dp), intent(inout) :: x(h%n,h%n)
    real(dp), intent(out)   :: errmax
    real(dp), allocatable :: y(:,:)
    integer :: i, j, k, n
    n = h%n
    allocate(y(n,n))
    h%head = mod(h%head, h%maxh) + 1
    h%nh = min(h%nh + 1, h%maxh)
    call matmlt(f, n, d, n, x, n, n)
    call matmlt(x, n, s, n, y, n, n)
    h%f(:,:,h%head) = f
    errmax = 0.0_dp
    do j = 1, n
       do i = 1, n
          h%e(i,j,h%head) = y(i,j) - y(j,i)
          errmax = max(errmax, abs(h%e(i,j,h%head)))
    end do; end do
    do k = 1, h%nh
       h%b(k,h%head) = sum(h%e(:,:,k)*h%e(:,:,h%head))
       h%b(h%head,k) = h%b(k,h%head)
    end do
  end subroutine diis_push

  subroutine diis_solve(h, c, ok)
    type(diis_t), intent(in) :: h
    real(dp), intent(out) :: c(:)
    logical,  intent(out) :: ok
    real(dp) :: a(h%nh+1,h%nh+2), t, piv
    integer  :: i, j, k, m
    m = h%nh + 1
    a = 0.0_dp
    a(1:h%nh,1:h%nh) = h%b(1:h%nh,1:h%nh)/max(maxval(abs(h%b)), 1.0e-30_dp)
    a(m,1:h%nh) = -1.0_dp; a(1:h%nh,m) = -1.0_dp; a(m,m+1) = -1.0_dp
    do k = 1, m
       j = k - 1 + maxloc(abs(a(k:m,k)), 1)
       ok = abs(a(j,k)) > 1.0e-13_dp
       if (.not. ok) return
       do i = k, m + 1
          t = a(k,i); a(k,i) = a(j,i); a(j,i) = t
       end do
       do i = 1, m
          if (i == k) cycle
          piv = a(i,k)/a(k,k)
          do j = k, m + 1
             a(i,j) = a(i,j) - piv*a(k,j)
    end do; end do; end do
    do i = 1, h%nh
       c(i) = a(i,m+1)/a(i,i)
    end do
  end subroutine diis_solve

  subroutine diis_extrapolate(h, f)
    type(diis_t), intent(in) :: h
    real(dp), intent(inout) :: f(:,:)
    real(dp) :: c(h%maxh)
    logical  :: ok
    integer  :: i, j, k
    if (h%nh < 2) return
    call diis_solve(h, c, ok)
    if (.not. ok) return
    do j = 1, h%n
       do i = 1, h%n
          f(i,j) = 0.0_dp
          do k = 1, h%nh
             f(i,j) = f(i,j) + c(k)*h%f(i,j,k)
    end do; end do; end do
  end subroutine diis_extrapolate
end module diis_mod
