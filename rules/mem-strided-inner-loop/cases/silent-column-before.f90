! A plane of scratch of which the first column, of unknown length, is that of the iteration before: nothing fills it here.
subroutine prev(u, r, n, m, l)
  implicit none
  integer, intent(in) :: n, m, l
  real(8), intent(in) :: u(l, n, m)
  real(8), intent(inout) :: r(l, n, m)
  real(8) :: w(n, m)
  integer :: i, j, k
  do k = 1, l
    do j = 2, m
      do i = 1, n
        w(i, j) = u(k, i, j)
      end do
    end do
    do j = 2, m
      do i = 1, n
        r(k, i, j) = w(i, j) - w(i, j - 1)
      end do
    end do
  end do
end subroutine prev
