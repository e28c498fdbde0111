! Lines across the columns that are copied, worked on and written back one after the other.
module lines
  implicit none
  integer, parameter :: n = 512
  external :: transform
contains
  ! By a loop, and back by a section.
  subroutine filter(a, rows)
    integer, intent(in) :: rows
    real(8), intent(inout) :: a(n, rows)
    real(8) :: line(rows)
    integer :: i, j
    do i = 1, n
      ! expect: mem-strided-inner-loop medium "4096 bytes" "copy 8 neighbouring lines, iterations of 'i' (line 13), in one pass over 'j'" "provided that no line needs the result of another"
      do j = 1, rows
        line(j) = a(i, j)
      end do
      call transform(line, rows)
      ! expect: mem-strided-inner-loop medium "4096 bytes" "copy 8 neighbouring lines"
      a(i, :) = line(:) / rows
    end do
  end subroutine filter
end module lines
