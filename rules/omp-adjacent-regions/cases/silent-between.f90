! flags: -fopenmp
! Calls, functions and branches between the regions; teams of different size; guards; another branch.
subroutine step(a, b, n, steps, few)
  implicit none
  integer, intent(in) :: n, steps, few
  real(8), intent(inout) :: a(n), b(n)
  real(8), external :: total
  real(8) :: mean
  integer :: i, s
  do s = 1, steps
    !$omp parallel do
    do i = 1, n
      a(i) = 0.5d0 * a(i)
    end do
    call exchange(a)
    !$omp parallel do
    do i = 1, n
      b(i) = b(i) + a(i)
    end do
    mean = total(b)
    !$omp parallel do
    do i = 1, n
      b(i) = b(i) - mean
    end do
    if (s > 5) mean = 0.0d0
    !$omp parallel do num_threads(few)
    do i = 1, n
      b(i) = b(i) + a(n + 1 - i)
    end do
    !$omp parallel do if(n > 10000)
    do i = 1, n
      a(i) = a(i) + 1.0d0
    end do
    if (s > 1) then
      !$omp parallel do
      do i = 1, n
        a(i) = a(i) + 1.0d0
      end do
    else
      !$omp parallel do
      do i = 1, n
        a(i) = a(i) + 2.0d0
      end do
    end if
  end do
end subroutine step
