! The order that walks all three along their columns: what it lacks are blocks. A product with a transposed factor, and
! one of integers that a module keeps.
module grids
  implicit none
  integer, allocatable :: paths(:, :), steps(:, :), ways(:, :)
contains
  subroutine columns(a, b, c)
    real(4), intent(in) :: a(:, :), b(:, :)
    real(4), intent(inout) :: c(:, :)
    integer :: i, j, k

    ! expect: mem-handwritten-matmul medium "every iteration over 'j' fetches a whole factor again" "or call sgemm"
    do j = 1, size(c, 2)
      do k = 1, size(a, 2)
        do i = 1, size(c, 1)
          c(i, j) = c(i, j) + a(i, k) * b(k, j)
        end do
      end do
    end do
  end subroutine columns

  subroutine transposed(a, b, c, n)
    integer, intent(in) :: n
    real(8), intent(in) :: a(n, n), b(n, n)
    real(8), intent(inout) :: c(n, n)
    integer :: i, j, k

    ! expect: mem-handwritten-matmul high "through 'b'" "make 'i' the innermost loop"
    do 30 i = 1, n
      do 20 j = 1, n
        do 10 k = 1, n
          c(i, j) = c(i, j) + a(i, k) * b(j, k)
10      continue
20    continue
30  continue
  end subroutine transposed

  subroutine count_ways(n)
    integer, intent(in) :: n
    integer :: i, j, k, total

    ! expect: mem-handwritten-matmul "write it as matmul"
    do i = 1, n
      do j = 1, n
        total = 0
        do k = 1, n
          total = total + paths(i, k) * steps(k, j)
        end do
        ways(i, j) = total
      end do
    end do
  end subroutine count_ways
end module grids
