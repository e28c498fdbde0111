! flags: -fopenmp
! Rows that have elements leave nothing to be written in the loop around; costly rows and two sections are work beside
! which one write does not show.
module field
  real(8) :: u(100, 100, 100), v(100, 100, 100), w(100, 100, 100), part(0:63), more(0:63)
  integer :: ny, nz, nx
end module field

subroutine energy(total)
  use field
  use omp_lib
  implicit none
  real(8), intent(out) :: total
  integer :: i, j, k, me
  part = 0.0d0
  !$omp parallel private(i, j, k, me)
  me = omp_get_thread_num()
  !$omp do
  do k = 1, nz
    do j = 1, 8
      part(me) = part(me) + u(1, j, k)
    end do
  end do
  !$omp end do nowait
  !$omp do
  do k = 1, nz
    do j = 1, ny
      do i = 1, nx
        more(me) = more(me) + u(i, j, k) * v(i, j, k) * w(i, j, k) + u(i + 1, j, k) * v(i + 1, j, k) * w(i + 1, j, k) &
          + u(i - 1, j, k) * v(i - 1, j, k) * w(i - 1, j, k)
      end do
    end do
  end do
  !$omp end do
  !$omp end parallel
  total = sum(part) + sum(more)
end subroutine energy

subroutine spectrum(bins, shell, v, w, n)
  use omp_lib
  implicit none
  integer, intent(in) :: n, shell(n)
  real(8), intent(in) :: v(n, 3), w(n, 3)
  real(8), intent(inout) :: bins(64, 0:n)
  integer :: i, me
  real(8) :: length
  !$omp parallel private(i, me, length)
  me = omp_get_thread_num() + 1
  !$omp do
  do i = 1, n
    bins(me, shell(i)) = bins(me, shell(i)) + sum(v(i, :)**2) + sum(w(i, :)**2)
  end do
  !$omp end do nowait
  !$omp do
  do i = 1, n
    length = sum(v(i, :)**2)
    bins(me, shell(i)) = bins(me, shell(i)) + length * sum(w(i, :)**2)
  end do
  !$omp end do
  !$omp end parallel
end subroutine spectrum
