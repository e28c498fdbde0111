! flags: -fopenmp
! Arrays of a module, steps of the main program, work in procedures: one of them was left to one thread.
module fields
  implicit none
  integer :: nx = 300, ny = 300
  real(8), allocatable :: t(:, :), q(:, :)
contains
  subroutine start()
    integer :: i, j
    !$omp parallel do private(i)
    do j = 1, ny
      do i = 1, nx
        t(i, j) = 1.0d0
        q(i, j) = 0.0d0
      end do
    end do
  end subroutine start
  subroutine diffuse()
    integer :: i, j
    !$omp parallel do private(i)
    do j = 2, ny - 1
      do i = 2, nx - 1
        q(i, j) = t(i - 1, j) + t(i + 1, j) - 2.0d0 * t(i, j)
      end do
    end do
  end subroutine diffuse
  subroutine radiate(dt)
    real(8), intent(in) :: dt
    integer :: i, j
    real(8) :: warm, lost
    ! expect: omp-serial-loop medium "private(warm, lost)" unsafe-fix
    do j = 2, ny - 1
      do i = 2, nx - 1
        warm = t(i, j)
        lost = exp(-warm) * warm
        t(i, j) = warm + dt * (q(i, j) - lost)
      end do
    end do
  end subroutine radiate
end module fields

program climate
  use fields
  implicit none
  integer :: step
  allocate (t(nx, ny), q(nx, ny))
  call start()
  do step = 1, 20
    call diffuse()
    call radiate(1.0d-3)
  end do
  print '(f12.8)', t(nx / 2, ny / 2)
end program climate
