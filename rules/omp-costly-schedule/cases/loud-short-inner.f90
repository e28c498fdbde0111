! flags: -fopenmp
! Inner loops of constant length, collapsed loops, and inner loops of one length that nobody knows.
subroutine collide(out, in, cells)
  implicit none
  integer, intent(in) :: cells
  real(8), intent(out) :: out(9, cells)
  real(8), intent(in) :: in(9, cells)
  real(8) :: density
  integer :: c, d
  ! expect: omp-costly-schedule high "about 26 ns of work" "dynamic,1"
  !$omp parallel do schedule(dynamic) private(density, d)
  do c = 1, cells
    density = 0.0d0
    do d = 1, 9
      density = density + in(d, c)
    end do
    do d = 1, 9
      out(d, c) = 0.9d0 * in(d, c) + 0.1d0 * density
    end do
  end do
  !$omp end parallel do
end subroutine collide

subroutine plane(a, n)
  implicit none
  integer, intent(in) :: n
  real(8), intent(inout) :: a(n, n)
  integer :: i, j
  ! expect: omp-costly-schedule high "about 10 ns of work" "dynamic,8"
  !$omp parallel do collapse(2) schedule(dynamic, 8)
  do j = 1, n
    do i = 1, n
      a(i, j) = a(i, j) + 1.0d0
    end do
  end do
  !$omp end parallel do
end subroutine plane

subroutine columns(a, n)
  implicit none
  integer, intent(in) :: n
  real(8), intent(inout) :: a(n, n)
  integer :: i, j
  ! expect: omp-costly-schedule medium "one inner loop's work of the same length each" "dynamic,1"
  !$omp parallel do schedule(dynamic) private(i)
  do j = 1, n
    do i = 1, n
      a(i, j) = a(i, j) + 1.0d0
    end do
  end do
  !$omp end parallel do
end subroutine columns
