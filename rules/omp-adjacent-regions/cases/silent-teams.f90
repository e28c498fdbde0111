! flags: -fopenmp
! Teams of different size, a guard, what is private by default, and a statement that only some steps run.
subroutine step(a, b, n, steps, few)
  implicit none
  integer, intent(in) :: n, steps, few
  real(8), intent(inout) :: a(n), b(n)
  real(8) :: mean
  integer :: i, s
  external :: seen
  mean = 1.0d0
  do s = 1, steps
    !$omp parallel do
    do i = 1, n
      a(i) = 0.5d0 * a(i)
    end do
    !$omp parallel do num_threads(few)
    do i = 1, n
      b(i) = b(i) + a(i)
    end do
    call seen(b)
    !$omp parallel do
    do i = 1, n
      b(i) = b(i) + 1.0d0
    end do
    !$omp parallel do if(n > 10000)
    do i = 1, n
      b(i) = b(i) + a(i)
    end do
    call seen(b)
    !$omp parallel do
    do i = 1, n
      b(i) = b(i) + 1.0d0
    end do
    !$omp parallel do default(private) shared(a, b, n)
    do i = 1, n
      b(i) = b(i) + a(i)
    end do
    call seen(b)
    !$omp parallel do
    do i = 1, n
      b(i) = b(i) + 1.0d0
    end do
    if (s > 5) mean = 0.0d0
    !$omp parallel do
    do i = 1, n
      b(i) = b(i) + mean
    end do
  end do
end subroutine step
