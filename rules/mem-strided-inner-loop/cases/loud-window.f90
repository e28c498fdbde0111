! The same loop over what is no window: each row has its own weights.
subroutine filter(out, in, weights, n, reach)
  implicit none
  integer, intent(in) :: n, reach
  real(8), intent(in) :: weights(n, -reach:reach), in(n, n)
  real(8), intent(inout) :: out(n, n)
  integer :: i, j, k

  do j = 1 + reach, n - reach
    do i = 1, n
      ! expect: mem-strided-inner-loop medium "a whole column" "8 bytes"
      do k = -reach, reach
        out(i, j) = out(i, j) + weights(i, k) * in(i, j + k)
      end do
    end do
  end do
end subroutine filter
