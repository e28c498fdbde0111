! flags: -fopenmp
module steps
  use fields
  implicit none
contains
  subroutine advance(speed)
    real(8), intent(inout) :: speed(:, :)
    integer :: i, j, k
    do k = 1, 8
      !$omp parallel do private(i)
      do j = 1, cells
        do i = 1, cells
          pressure(i, j, k) = pressure(i, j, k) + 1.0d0
        end do
      end do
      !$omp end parallel do
    end do
    !$omp parallel private(i)
    !$omp do
    do j = 1, size(speed, 2)
      do i = 1, size(speed, 1)
        speed(i, j) = speed(i, j) + 1.0d-3
      end do
    end do
    !$omp end do
    !$omp end parallel
    call columns()
  end subroutine advance

  subroutine columns()
    include 'sizes.h'
    integer :: i, j
    !$omp parallel do private(i)
    do j = 1, levels
      do i = 1, levels
        column(i, j) = column(i, j) + 1.0d-3
      end do
    end do
    !$omp end parallel do
  end subroutine columns
end module steps
