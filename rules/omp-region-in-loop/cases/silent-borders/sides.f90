! flags: -fopenmp
! Sides that are copied once in a step; with work enough for a team; by a team; all fields in one region; and what only
! looks like sides.
module sides
  implicit none
  integer, parameter :: parts = 5
contains
  ! One loop alone, that of the steps, calls it.
  subroutine wrap(field, n)
    integer, intent(in) :: n
    real(8), intent(inout) :: field(0:n + 1, 0:n + 1, 0:n + 1)
    integer :: j, k
    ! expect: omp-region-in-loop low
    !$omp parallel do private(j)
    do k = 1, n
      do j = 1, n
        field(0, j, k) = field(n, j, k)
        field(n + 1, j, k) = field(1, j, k)
      end do
    end do
    !$omp end parallel do
  end subroutine wrap

  ! Components of all cells.
  subroutine scale(field, n)
    integer, intent(in) :: n
    real(8), intent(inout) :: field(parts, n, n)
    integer :: j, k
    !$omp parallel do private(j)
    do k = 1, n
      do j = 1, n
        field(1, j, k) = 0.5d0 * field(parts, j, k)
      end do
    end do
    !$omp end parallel do
  end subroutine scale

  ! A side, and what is inside.
  subroutine relax(field, n)
    integer, intent(in) :: n
    real(8), intent(inout) :: field(n, n)
    integer :: j, k
    !$omp parallel do private(j)
    do k = 1, n
      field(1, k) = field(n, k)
      do j = 2, n - 1
        field(j, k) = 0.5d0 * field(j, k)
      end do
    end do
    !$omp end parallel do
  end subroutine relax

  ! The slices of an axis, one in each call.
  subroutine slice(field, n, number)
    integer, intent(in) :: n, number
    real(8), intent(inout) :: field(n, n, n)
    integer :: j, k
    !$omp parallel do private(j)
    do k = 1, n
      do j = 1, n
        field(j, k, number) = 0.5d0 * field(j, k, number)
      end do
    end do
    !$omp end parallel do
  end subroutine slice

  ! All sides of two fields in one region.
  subroutine wrap_both(one, other, n)
    integer, intent(in) :: n
    real(8), intent(inout) :: one(0:n + 1, 0:n + 1), other(0:n + 1, 0:n + 1)
    integer :: k
    ! expect: omp-region-in-loop low
    !$omp parallel
    ! expect: omp-barrier-in-loop medium
    !$omp do
    do k = 1, n
      one(0, k) = one(n, k)
    end do
    !$omp do
    do k = 1, n
      other(0, k) = other(n, k)
    end do
    !$omp end parallel
  end subroutine wrap_both

  ! Called by a team.
  subroutine wrap_part(field, n)
    integer, intent(in) :: n
    real(8), intent(inout) :: field(0:n + 1, 0:n + 1)
    integer :: k
    !$omp parallel do
    do k = 1, n
      field(0, k) = field(n, k)
    end do
    !$omp end parallel do
  end subroutine wrap_part

  ! Enough iterations, or none that opens a team.
  subroutine wrap_long(field, n)
    integer, intent(in) :: n
    real(8), intent(inout) :: field(0:n + 1, 0:n + 1)
    integer :: k
    !$omp parallel do if (n > 10000)
    do k = 1, n
      field(0, k) = field(n, k)
    end do
    !$omp end parallel do
  end subroutine wrap_long
end module sides
