! A condition chooses between the plain loops and the same in tiles.
subroutine turn(to, from, n, tile)
  implicit none
  integer, intent(in) :: n, tile
  real(8), intent(inout) :: to(n, n)
  real(8), intent(in) :: from(n, n)
  integer :: i, j, ii, jj
  if (tile < n) then
    do jj = 1, n, tile
      do ii = 1, n, tile
        do j = jj, min(n, jj + tile - 1)
          do i = ii, min(n, ii + tile - 1)
            to(j, i) = to(j, i) + from(i, j)
          end do
        end do
      end do
    end do
  else
    do j = 1, n
      ! expect: mem-unblocked-transpose medium "to"
      do i = 1, n
        to(j, i) = to(j, i) + from(i, j)
      end do
    end do
  end if
end subroutine turn
