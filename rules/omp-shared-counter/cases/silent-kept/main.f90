! flags: -fopenmp
program many
  use omp_lib, only: omp_get_thread_num
  use tally
  implicit none
  real(8) :: x(100)
  x = 1
  call outside(x)
  !$omp parallel
  !$omp master
  call begin(x)
  !$omp end master
  !$omp barrier
  call smooth(x, 100)
  !$omp critical
  call one_by_one(x)
  !$omp end critical
  call for_one(x, omp_get_thread_num())
  !$omp end parallel
  print '(i6, f8.3)', calls, x(1)
end program many
