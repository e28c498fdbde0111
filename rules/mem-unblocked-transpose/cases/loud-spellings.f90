! An exchange in place, a turn of a volume, and arrays of a module whose sizes are known.
module fields
  implicit none
  real(8) :: now(1100, 1100), next(1100, 1100)
contains
  subroutine in_place(m, n)
    integer, intent(in) :: n
    real(8), intent(inout) :: m(n, n)
    real(8) :: kept
    integer :: i, j
    do i = 1, n
      ! expect: mem-unblocked-transpose medium
      do j = i + 1, n
        kept = m(i, j)
        m(i, j) = m(j, i)
        m(j, i) = kept
      end do
    end do
  end subroutine in_place

  subroutine volume(out, in, nx, ny, nz)
    integer, intent(in) :: nx, ny, nz
    real(8), intent(in) :: in(nx, ny, nz)
    real(8), intent(out) :: out(nz, ny, nx)
    integer :: x, y, z
    do z = 1, nz
      do y = 1, ny
        ! expect: mem-unblocked-transpose medium "'out'"
        do x = 1, nx
          out(z, y, x) = 0.5d0 * in(x, y, z)
        end do
      end do
    end do
  end subroutine volume

  subroutine known()
    integer :: i, j
    do j = 1, 1100
      ! expect: mem-unblocked-transpose high "'next'"
      do i = 1, 1100
        next(j, i) = now(i, j)
      end do
    end do
  end subroutine known

  ! A few columns of a halo, perhaps.
  subroutine part(to, from, first, last, n)
    integer, intent(in) :: first, last, n
    real(8), intent(in) :: from(n, n)
    real(8), intent(out) :: to(n, n)
    integer :: i, j
    do j = first, last
      ! expect: mem-unblocked-transpose low
      do i = 1, n
        to(j, i) = from(i, j)
      end do
    end do
  end subroutine part

  ! Five components for each cell.
  subroutine components(forcing, n)
    integer, intent(in) :: n
    real(8), intent(inout) :: forcing(5, n, n)
    real(8) :: ue(n, 5)
    integer :: i, j, m
    do i = 1, n
      do j = 1, n
        ue(j, :) = 0.5d0 * i + j
      end do
      do m = 1, 5
        ! expect: mem-unblocked-transpose low
        do j = 2, n - 1
          forcing(m, i, j) = forcing(m, i, j) - 0.25d0 * (ue(j - 1, m) - 2.0d0 * ue(j, m) + ue(j + 1, m))
        end do
      end do
    end do
  end subroutine components
end module fields
