! flags: -fopenmp
! Packed triangles, from the first column to the last and the other way round.
subroutine fill(packed, column, n)
  implicit none
  integer, intent(in) :: n
  real(8), intent(out) :: packed(n * (n + 1) / 2)
  real(8), intent(in) :: column(n, n)
  integer :: i, j
  ! expect: omp-load-imbalance medium "line 12" "last thread"
  !$omp parallel do private(j) schedule(static)
  do i = 1, n
    do j = 1, i
      packed(i * (i - 1) / 2 + j) = sum(column(:, i) * column(:, j))
    end do
  end do
  !$omp end parallel do
end subroutine fill

subroutine repel(force, x, n)
  implicit none
  integer, intent(in) :: n
  real(8), intent(out) :: force(n)
  real(8), intent(in) :: x(n)
  integer :: i, j
  real(8) :: total
  !$omp parallel private(j, total)
  ! expect: omp-load-imbalance medium "line 31" "first thread"
  !$omp do
  do i = 1, n
    total = 0.0d0
    do j = i + 1, n
      total = total + 1.0d0 / (1.0d0 + (x(i) - x(j))**2)
    end do
    force(i) = total
  end do
  !$omp end do
  !$omp end parallel
end subroutine repel

! Nothing else rests on who got which block.
subroutine alone(a, n)
  implicit none
  integer, intent(in) :: n
  real(8), intent(inout) :: a(n, n)
  integer :: i, j
  !$omp parallel private(i)
  ! expect: omp-load-imbalance medium "last thread"
  !$omp do schedule(static)
  do j = 1, n
    do i = 1, j
      a(i, j) = 0.5d0 * a(i, j)
    end do
  end do
  !$omp end do nowait
  !$omp end parallel
end subroutine alone
