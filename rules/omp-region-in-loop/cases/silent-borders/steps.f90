! flags: -fopenmp
subroutine steps(field, parted, planes, n)
  use sides
  implicit none
  integer, intent(in) :: n
  real(8), intent(inout) :: field(0:n + 1, 0:n + 1, 0:n + 1), parted(parts, n, n), planes(0:n + 1, 0:n + 1, 4)
  integer :: step, level
  do step = 1, 100
    call wrap(field, n)
    do level = 1, n
      call scale(parted, n)
      call relax(parted, n)
      call slice(field, n, level)
      call wrap_both(planes, planes(0, 0, 2), n)
      call wrap_long(planes, n)
    end do
    do level = 1, 4
      !$omp parallel
      !$omp single
      call wrap_part(planes(0, 0, level), n)
      !$omp end single
      !$omp end parallel
    end do
  end do
end subroutine steps
