! What the counter is behind the loops goes to a procedure: exchanged, it would be the same, but nothing here says so.
module shown
  implicit none
contains
  subroutine fill(a, n)
    integer, intent(in) :: n
    real(8), intent(inout) :: a(n, n)
    integer :: i, j
    do i = 1, n
      ! expect: mem-strided-inner-loop no-fix
      do j = 1, n
        a(i, j) = 2.0d0 * a(i, j)
      end do
    end do
    call show(i)
  end subroutine fill

  subroutine show(last)
    integer, intent(in) :: last
    print *, last
  end subroutine show
end module shown
