! flags: -fopenmp
! fixes: mem-strided-inner-loop
! A team shares the rows of independent cells, and may as well share the columns.
module fields
  implicit none
  integer, parameter :: n = 200
contains
  subroutine twice(a)
    real(8), intent(inout) :: a(n, n)
    integer :: i, j
    !$omp parallel do default(none) private(j) shared(a) schedule(static)
    do i = 1, n
      ! expect: mem-strided-inner-loop unsafe-fix
      do j = 1, n
        a(i, j) = 2.0d0 * a(i, j)
      end do
    end do
    !$omp end parallel do
  end subroutine twice

  subroutine collapsed(a)
    real(8), intent(inout) :: a(n, n)
    integer :: i, j
    !$omp parallel do collapse(2)
    do i = 1, n
      ! expect: mem-strided-inner-loop no-fix
      do j = 1, n
        a(i, j) = 2.0d0 * a(i, j)
      end do
    end do
  end subroutine collapsed

  subroutine last(a, kept)
    real(8), intent(inout) :: a(n, n)
    integer, intent(out) :: kept
    integer :: i, j
    !$omp parallel do lastprivate(i) private(j)
    do i = 1, n
      ! expect: mem-strided-inner-loop no-fix
      do j = 1, n
        a(i, j) = 2.0d0 * a(i, j)
      end do
    end do
    kept = i
  end subroutine last
end module fields

program scale
  use fields
  implicit none
  real(8), allocatable :: field(:, :)
  integer :: step
  allocate (field(n, n))
  field = 1.0d0
  do step = 1, 4
    call twice(field)
  end do
  print '(f14.3)', sum(field)
end program scale
