! One of the few procedures of a library, for programs that are not here.
subroutine shift_all(field, n)
  implicit none
  integer, intent(in) :: n
  real(8), intent(inout) :: field(n, n)
  integer :: i, j
  do i = 1, n
    ! expect: mem-strided-inner-loop medium "over 'i' the step is 8 bytes"
    do j = 1, n
      field(i, j) = field(i, j) + 1.0d0
    end do
  end do
end subroutine shift_all
