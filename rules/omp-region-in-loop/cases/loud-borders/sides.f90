! flags: -fopenmp
! Sides of a field, each in a region of its own, and rows one by one.
module sides
  implicit none
contains
  subroutine wrap(field, nx, ny, nz)
    integer, intent(in) :: nx, ny, nz
    real(8), intent(inout) :: field(0:nx + 1, 0:ny + 1, 0:nz + 1)
    integer :: i, j, k
    ! expect: omp-region-in-loop medium "the loop at exchange.f90:9" "one side of the data" "in one region around their loops" no-fix
    !$omp parallel do private(j)
    do k = 1, nz
      do j = 1, ny
        field(0, j, k) = field(nx, j, k)
        field(nx + 1, j, k) = field(1, j, k)
      end do
    end do
    !$omp end parallel do
    ! expect: omp-region-in-loop medium "the loop at exchange.f90:9" "one side of the data"
    !$omp parallel do private(i)
    do k = 1, nz
      do i = 0, nx + 1
        field(i, 0, k) = field(i, ny, k)
        field(i, ny + 1, k) = field(i, 1, k)
      end do
    end do
    !$omp end parallel do
  end subroutine wrap
end module sides

subroutine pack_upper(plane, buffer, low, high, top, depth)
  implicit none
  integer, intent(in) :: low, high, top, depth
  real(8), intent(in) :: plane(-1:, -1:)
  real(8), intent(inout) :: buffer(:)
  integer :: j, k, place
  do k = 1, depth
    ! expect: omp-region-in-loop medium "the loop at line 37" "one row of a border"
    !$omp parallel do private(place)
    do j = low - depth, high + depth
      place = k + (j + depth - 1) * depth
      buffer(place) = plane(j, top + 1 - k)
    end do
    !$omp end parallel do
  end do
end subroutine pack_upper

subroutine pack_left(plane, buffer, low, high, first, depth)
  implicit none
  integer, intent(in) :: low, high, first, depth
  real(8), intent(in) :: plane(-1:, -1:)
  real(8), intent(inout) :: buffer(:)
  integer :: j, k
  ! expect: omp-region-in-loop medium "the loop at exchange.f90:20" "one row of a border"
  !$omp parallel do private(j)
  do k = low - depth, high + depth
    do j = 1, depth
      if (j <= depth) then
        buffer(j + (k + depth - 1) * depth) = plane(first - 1 + j, k)
      end if
    end do
  end do
  !$omp end parallel do
end subroutine pack_left
