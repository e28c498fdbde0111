! flags: -fopenmp
! Numbers that are no count of elements: one that stays, one that begins anew in each iteration, one that a call sets.
program pick
  implicit none
  integer, parameter :: n = 4000000
  real(8), allocatable :: a(:), b(:), c(:)
  integer :: step, k, at, of
  allocate(a(n), b(n), c(n))
  at = 1
  do k = 1, n
    a(at) = a(at) + k
  end do
  do k = 1, n
    of = 0
    of = of + 2
    b(of) = k
  end do
  at = 0
  do k = 1, n
    at = at + 1
    call choose(at, k)
    c(at) = k
  end do
  do step = 1, 100
    !$omp parallel do
    do k = 1, n
      a(k) = a(k) + 1.0d0
      b(k) = b(k) + 1.0d0
      c(k) = c(k) + 1.0d0
    end do
    !$omp end parallel do
  end do
  print *, a(1), b(1), c(1)
contains
  subroutine choose(to, from)
    integer, intent(out) :: to
    integer, intent(in) :: from
    to = mod(from, 7) + 1
  end subroutine choose
end program pick
