! flags: -fopenmp
! Between the loops, or in them, stands what nobody knows: a call, an assignment of whole arrays, sections of the team.
subroutine various(a, b, c)
  implicit none
  real(8), intent(inout) :: a(1000), b(1000), c(1000)
  integer :: i, step
  external :: work
  do step = 1, 100
    !$omp parallel
    !$omp do
    do i = 1, 1000
      a(i) = b(i) + 1.0d0
    end do
    call work(a, b)
    !$omp end parallel
  end do
  do step = 1, 100
    !$omp parallel
    !$omp do
    do i = 1, 1000
      a(i) = b(i) + 1.0d0
    end do
    !$omp sections
    !$omp section
    b(1) = 0.0d0
    !$omp section
    c(1) = 0.0d0
    !$omp end sections
    !$omp end parallel
  end do
  do step = 1, 100
    !$omp parallel do
    do i = 1, 1000
      call work(a(i), b(i))
    end do
  end do
end subroutine various
