! Sums of doubles: those that memory keeps waiting are low, those with much arithmetic are not.
module norms
  implicit none
contains
  subroutine distance(a, b, total)
    real(8), intent(in) :: a(:), b(:)
    real(8), intent(out) :: total
    integer :: i

    total = 0.0d0
    ! expect: build-missed-vectorization low "the floating-point result 'total'"
    do i = 1, size(a)
      total = total + a(i) * b(i)
    end do
  end subroutine distance

  subroutine energy(a, total)
    real(8), intent(in) :: a(:)
    real(8), intent(out) :: total
    real(8) :: x
    integer :: i

    total = 0.0d0
    ! expect: build-missed-vectorization high "'!$omp simd reduction(+:total)'"
    do i = 1, size(a)
      x = a(i)
      total = total + x * (1.0d0 + x * (0.5d0 + x * (0.3d0 + x * (0.25d0 + x * (0.2d0 + x * (0.1d0 + x * 0.05d0))))) &
        + 3.0d0 * x * (2.0d0 - x) * (4.0d0 - x) * (8.0d0 - x) * (3.0d0 - x))
    end do
  end subroutine energy
end module norms

program relax
  use norms
  implicit none
  real(8) :: a(4000), b(4000), total, most
  integer :: step
  a = 1.0d0
  b = 0.5d0
  most = 0.0d0
  do step = 1, 50
    call distance(a, b, total)
    most = max(most, total)
    call energy(b, total)
    most = max(most, total)
  end do
  print *, most > 1.0d0
end program relax
