! flags: -fopenmp
! Few iterations of much work, collapsed loops, loops that only together are long enough, and unknown lengths.
subroutine work(a, b, c, n)
  implicit none
  integer, intent(in) :: n
  real(8), intent(inout) :: a(500, 8), b(30, 30), c(700)
  integer :: i, j, k
  external :: seen
  !$omp parallel do private(i)
  do k = 1, 8
    do i = 1, 500
      a(i, k) = a(i, k) / (1.0d0 + a(i, k))
    end do
  end do
  call seen(a)
  !$omp parallel do collapse(2)
  do j = 1, 30
    do i = 1, 30
      b(i, j) = b(i, j) / (1.0d0 + b(i, j))
    end do
  end do
  call seen(b)
  !$omp parallel
  ! expect: omp-barrier-in-loop medium "nowait" no-fix
  !$omp do
  do i = 1, 700
    c(i) = c(i) + 1.0d0
  end do
  !$omp do
  do i = 1, 700
    c(i) = c(i) * 0.5d0
  end do
  !$omp do
  do i = 1, 700
    c(i) = c(i) - 2.0d0
  end do
  !$omp end parallel
  call seen(c)
  !$omp parallel do
  do i = 1, n
    c(i) = c(i) + 1.0d0
  end do
end subroutine work
