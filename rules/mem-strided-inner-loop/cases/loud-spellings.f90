! The same loop in other words: named, labelled, continued, on one line, in upper case, with strings that look like code.
subroutine named(a, n)
  implicit none
  integer, intent(in) :: n
  real(8), intent(inout) :: a(n, n)
  integer :: i, j
  character(20) :: words
  words = "end do ! do i = 1, 2"
  rows: do i = 1, n
    ! expect: mem-strided-inner-loop medium
    columns: do j = 1, n
      a(i, j) = a(i, j) + len_trim(words)
    end do columns
  end do rows
end subroutine named

SUBROUTINE LABELLED(A, N)
  IMPLICIT NONE
  INTEGER, INTENT(IN) :: N
  REAL(8), INTENT(INOUT) :: A(N, N)
  INTEGER :: I, J
  DO 20 I = 1, N
    ! expect: mem-strided-inner-loop medium "over 'j'" "over 'i'"
    DO 10, J = 1, N
      A(I, J) = A(I, J) + 1
10  CONTINUE
20 CONTINUE
END SUBROUTINE LABELLED

subroutine continued(a, n)
  implicit none
  integer, intent(in) :: n
  real(8), intent(inout) :: a(n, n)
  integer :: i, j
  do i = 1, & ! rows
      n
    ! expect: mem-strided-inner-loop medium
    do j = 1, &
      ! columns
      & n
      a(i, j) = &
        a(i, j) + 1
    enddo
  enddo
end subroutine continued

subroutine together(a, n)
  implicit none
  integer, intent(in) :: n
  real(8), intent(inout) :: a(n, n)
  integer :: i, do1, doj
  doj = 1; do1 = n
  if (n > 2) then; do i = doj, do1
    ! expect: mem-strided-inner-loop medium
      do doj = 1, n; a(i, doj) = a(i, doj) + 1; end do
  end do; end if
end subroutine together
