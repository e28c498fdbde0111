! Runs once: the program's steps come back to their data in deeper loops.
module setup
  implicit none
contains
  subroutine fill(field, n, m)
    integer, intent(in) :: n, m
    real(8), intent(out) :: field(n, m)
    integer :: i, j
    do i = 1, n
      ! expect: mem-strided-inner-loop low "a whole column"
      do j = 1, m
        field(i, j) = i + 0.5d0 * j
      end do
    end do
  end subroutine fill

  ! In each step: as hot as the steps.
  subroutine damp(field, n, m)
    integer, intent(in) :: n, m
    real(8), intent(inout) :: field(n, m)
    integer :: i, j
    do i = 1, n
      ! expect: mem-strided-inner-loop medium "a whole column"
      do j = 1, m
        field(i, j) = 0.5d0 * field(i, j)
      end do
    end do
  end subroutine damp
end module setup
