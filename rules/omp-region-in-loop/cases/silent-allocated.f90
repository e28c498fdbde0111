! flags: -fopenmp
! Parts of allocated arrays: some rows, some rows of a border, rows of an extent that is another variable, packed
! rows.
module fields
  implicit none
  real(8), allocatable :: a(:, :), b(:, :), buffer(:, :)
  integer :: nx, ny, width
contains
  subroutine make(columns)
    integer, intent(in) :: columns
    integer :: nz
    nz = columns + 1
    allocate(a(nx, ny), b(columns, nz))
  end subroutine make

  subroutine border()
    integer :: i, j
    do j = 1, width
      !$omp parallel do
      do i = 1, nx
        a(i, j) = a(i, ny + 1 - j)
      end do
      !$omp end parallel do
    end do
  end subroutine border

  subroutine other(columns, nz)
    integer, intent(in) :: columns, nz
    integer :: i, j
    do j = 1, nz
      !$omp parallel do
      do i = 1, columns
        b(i, j) = 0.0d0
      end do
      !$omp end parallel do
    end do
  end subroutine other

  subroutine strip(few)
    integer, intent(in) :: few
    integer :: i, j
    do j = 1, ny
      !$omp parallel do
      do i = 1, few
        a(i, j) = 0.0d0
      end do
      !$omp end parallel do
    end do
  end subroutine strip

  subroutine pack()
    integer :: i, j
    allocate(buffer(nx, width))
    do j = 1, width
      !$omp parallel do
      do i = 1, nx
        buffer(i, j) = a(i, j)
      end do
      !$omp end parallel do
    end do
  end subroutine pack

  subroutine part(from)
    integer, intent(in) :: from
    integer :: i, j
    do j = from, ny
      !$omp parallel do
      do i = 1, nx
        a(i, j) = 0.0d0
      end do
      !$omp end parallel do
    end do
  end subroutine part
end module fields
