! A procedure that is named after a routine of BLAS, but has another list of arguments.
subroutine my_dgemm(m, n, k, a, b, c)
  implicit none
  integer, intent(in) :: m, n, k
  real(8), intent(in) :: a(m, k), b(k, n)
  real(8), intent(inout) :: c(m, n)
  integer :: i, j, l
  ! expect: mem-handwritten-matmul medium "matrix product of 'a' and 'b' in three plain loops"
  do j = 1, n
    do l = 1, k
      do i = 1, m
        c(i, j) = c(i, j) + a(i, l) * b(l, j)
      end do
    end do
  end do
end subroutine my_dgemm
