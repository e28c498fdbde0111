! What stays in the cache, what is in tiles, and what a product or another order of the loops is about.
module small
  implicit none
  real(8) :: table(64, 64), other(64, 64)
contains
  subroutine fits()
    integer :: i, j
    do j = 1, 64
      do i = 1, 64
        table(j, i) = other(i, j)
      end do
    end do
  end subroutine fits

  subroutine tiles(to, from, n)
    integer, intent(in) :: n
    real(8), intent(in) :: from(n, n)
    real(8), intent(out) :: to(n, n)
    integer :: i, j, ii, jj
    do jj = 0, n - 1, 16
      do ii = 0, n - 1, 16
        do j = 1, 16
          do i = 1, 16
            to(jj + j, ii + i) = from(ii + i, jj + j)
          end do
        end do
      end do
    end do
  end subroutine tiles

  subroutine along(to, from, n)
    integer, intent(in) :: n
    real(8), intent(in) :: from(n, n)
    real(8), intent(out) :: to(n, n)
    integer :: i, j
    do j = 1, n
      do i = 1, n
        to(i, j) = from(i, j)
      end do
    end do
  end subroutine along
end module small
