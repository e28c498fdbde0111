! Loops of which somebody has spoken, or that a directive keeps from vectors: simd, a critical section, DO CONCURRENT.
! flags: -fopenmp
module sums
  implicit none
contains
  subroutine vectors(a, total, n)
    integer, intent(in) :: n
    real, intent(in) :: a(n)
    real, intent(out) :: total
    integer :: i
    total = 0.0
    !$omp simd reduction(+:total)
    do i = 1, n
      total = total + a(i) * a(i)
    end do
  end subroutine vectors

  subroutine team(a, total, n)
    integer, intent(in) :: n
    real, intent(in) :: a(n)
    real, intent(out) :: total
    integer :: i
    total = 0.0
    !$omp parallel do &
    !$omp   simd reduction(+:total)
    do i = 1, n
      total = total + a(i) * a(i)
    end do
  end subroutine team

  subroutine guarded(a, total, n)
    integer, intent(in) :: n
    real, intent(in) :: a(n)
    real, intent(inout) :: total
    integer :: i
    !$omp parallel do
    do i = 1, n
      ! expect: omp-critical-section high "'total'" "reduction(+:total)" no-fix
      !$omp critical ! one after another
      total = total + a(i) * a(i)
      !$omp end critical
    end do
  end subroutine guarded
end module sums

program steps
  use sums
  implicit none
  real :: a(10000), total
  integer :: step
  a = 1.0
  do step = 1, 50
    call vectors(a, total, size(a))
    call team(a, total, size(a))
    call guarded(a, total, size(a))
    a(step) = total
  end do
  print *, total > 1.0
end program steps
