! flags: -fopenmp
! A register keeps the sum within a row; a row may be empty, so that it is written once for each row. A section is such
! a row, too.
module field
  real(8) :: u(100, 100, 100), part(0:63)
  integer :: nx, ny, nz
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
    do j = 1, ny
      do i = 1, nx
        ! expect: omp-false-sharing medium "loop at line 20" "8 bytes apart"
        part(me) = part(me) + 0.5d0 * u(i, j, k)**2
      end do
    end do
  end do
  !$omp end do
  !$omp end parallel
  total = sum(part)
end subroutine energy

subroutine spectrum(bins, shell, v, n)
  use omp_lib
  implicit none
  integer, intent(in) :: n, shell(n)
  real(8), intent(in) :: v(n, 3)
  real(8), intent(inout) :: bins(64, 0:n)
  integer :: i, me
  !$omp parallel private(i, me)
  me = omp_get_thread_num() + 1
  !$omp do
  do i = 1, n
    ! expect: omp-false-sharing medium "loop at line 42"
    bins(me, shell(i)) = bins(me, shell(i)) + sum(v(i, :)**2)
  end do
  !$omp end do
  !$omp end parallel
end subroutine spectrum
