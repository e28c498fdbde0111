! A window slides along the columns: its few columns are in the cache when the next row needs them.
subroutine filter(out, in, weights, n, reach)
  implicit none
  integer, intent(in) :: n, reach
  real(8), intent(in) :: weights(-reach:reach, -reach:reach), in(n, n)
  real(8), intent(inout) :: out(n, n)
  integer :: i, j, k

  do j = 1 + reach, n - reach
    do i = 1, n
      do k = -reach, reach
        out(i, j) = out(i, j) + weights(0, k) * in(i, j + k)
      end do
    end do
  end do
end subroutine filter
