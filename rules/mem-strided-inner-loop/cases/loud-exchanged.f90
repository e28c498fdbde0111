! fixes: mem-strided-inner-loop
! Nests whose headers change places, whatever they are called and however they end.
module sweeps
  implicit none
  integer, parameter :: n = 320
contains
  subroutine plain(a, b)
    real(8), intent(inout) :: a(n, n)
    real(8), intent(in) :: b(n, n)
    integer :: i, j
    do i = 2, n - 1 ! rows
      ! columns, each of which is contiguous
      ! expect: mem-strided-inner-loop high fix
      do j = 1, n
        if (b(i, j) < 0.0d0) cycle
        a(i, j) = a(i, j) + 0.5d0 * b(i - 1, j)
      end do
    end do
  end subroutine plain

  subroutine labelled(a)
    real(8), intent(inout) :: a(n, n)
    integer :: i, j
    do 20 i = 1, n
      ! expect: mem-strided-inner-loop high unsafe-fix
      do 20, j = 2, n - 1
20  a(i, j) = a(i, j) * 0.5d0
  end subroutine labelled

  subroutine three(a, m)
    integer, intent(in) :: m
    real(8), intent(inout) :: a(m, m, m)
    integer :: i, j, k
    slow: do i = 1, m
      middle: do j = 1, m
        ! expect: mem-strided-inner-loop high "make 'i'" unsafe-fix
        fast: do k = 1, m
          a(i, j, k) = a(i, j, k) + 1.0d0
        end do fast
      end do middle
    end do slow
  end subroutine three
end module sweeps

program main
  use sweeps
  implicit none
  real(8), allocatable :: a(:, :), b(:, :), c(:, :, :)
  integer :: step
  allocate (a(n, n), b(n, n), c(60, 60, 60))
  a = 1.0d0
  b = 2.0d0
  c = 3.0d0
  b(7, 9) = -1.0d0
  do step = 1, 3
    call plain(a, b)
    call labelled(a)
    call three(c, 60)
  end do
  print '(3f12.6)', sum(a), a(7, 9), sum(c)
end program main
