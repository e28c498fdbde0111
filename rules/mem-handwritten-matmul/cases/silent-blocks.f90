! Products in blocks, by a library's routine, of small matrices for each cell, and with a vector.
subroutine blocks(a, b, c, n)
  implicit none
  integer, intent(in) :: n
  integer, parameter :: length = 64
  real(8), intent(in) :: a(n, n), b(n, n)
  real(8), intent(inout) :: c(n, n)
  integer :: i, j, k, jj, kk

  do jj = 1, n, length
    do kk = 1, n, length
      do j = jj, min(jj + length - 1, n)
        do k = kk, min(kk + length - 1, n)
          do i = 1, n
            c(i, j) = c(i, j) + a(i, k) * b(k, j)
          end do
        end do
      end do
    end do
  end do
end subroutine blocks

subroutine numbered(a, b, c, n)
  implicit none
  integer, intent(in) :: n
  integer, parameter :: length = 64
  real(8), intent(in) :: a(n, n), b(n, n)
  real(8), intent(inout) :: c(n, n)
  integer :: i, j, k, block, first

  do block = 1, n / length
    first = (block - 1) * length
    do j = 1, n
      do k = first + 1, first + length
        do i = 1, n
          c(i, j) = c(i, j) + a(i, k) * b(k, j)
        end do
      end do
    end do
  end do
end subroutine numbered

subroutine cells(a, b, c, n)
  implicit none
  integer, intent(in) :: n
  real(8), intent(in) :: a(5, 5, n), b(5, 5, n)
  real(8), intent(inout) :: c(5, 5, n)
  integer :: i, j, k, cell
  do cell = 1, n
    do j = 1, 5
      do i = 1, 5
        do k = 1, 5
          c(i, j, cell) = c(i, j, cell) - a(i, k, cell) * b(k, j, cell)
        end do
      end do
    end do
  end do
end subroutine cells

subroutine vector(a, x, y, n)
  implicit none
  integer, intent(in) :: n
  real(8), intent(in) :: a(n, n), x(n)
  real(8), intent(inout) :: y(n)
  integer :: i, j
  do j = 1, n
    do i = 1, n
      y(i) = y(i) + a(i, j) * x(j)
    end do
  end do
end subroutine vector
