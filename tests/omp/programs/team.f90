program team
  implicit none
  integer :: i, step
  real(8) :: a(2000), total
  a = 1.0d0
  do step = 1, 40
    !$omp parallel do schedule(dynamic, 8)
    do i = 1, 2000
      a(i) = a(i) + mod(i, 7)
    end do
    !$omp end parallel do
  end do
  total = 0.0d0
  !$omp parallel
  !$omp do reduction(+:total)
  do i = 1, 2000
    total = total + a(i)
  end do
  !$omp end do
  !$omp critical
  total = total + 1.0d0
  !$omp end critical
  !$omp end parallel
  print '(f12.1)', total
end program team
