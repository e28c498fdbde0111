! flags: -fopenmp
! An operation on a whole array, by one thread, behind a test.
module box
  implicit none
  type :: field
    real(8), allocatable :: a(:, :, :)
    integer :: n
  end type field
contains
  subroutine transform(f, back)
    type(field), intent(inout) :: f
    logical, intent(in) :: back
    integer :: i, j, k
    !$omp parallel do
    do k = 1, f%n
      do j = 1, f%n
        do i = 1, f%n
          f%a(i, j, k) = 0.5d0 * f%a(i, j, k) + 1.0d0
        end do
      end do
    end do
    ! expect: omp-serial-loop medium "loop over its last index" no-fix
    if (back) f%a = f%a / real(f%n, 8)
  end subroutine transform
end module box

program whole
  use box
  implicit none
  type(field) :: f
  integer :: step
  f%n = 120
  allocate (f%a(f%n, f%n, f%n))
  !$omp parallel do
  do step = 1, f%n
    f%a(:, :, step) = 1.0d0
  end do
  do step = 1, 10
    call transform(f, step > 2)
  end do
  print '(f12.8)', f%a(3, 3, 3)
end program whole
