! flags: -fopenmp
! Sections for which another construct would do, and whose directives alone do not make it.
module kept
  implicit none
  integer :: everybodys
contains
  ! A variable that other files see.
  subroutine visible(place, n)
    integer, intent(in) :: n, place(n)
    integer :: i
    !$omp parallel do
    do i = 1, n
      ! expect: omp-critical-section no-fix
      !$omp critical
      everybodys = everybodys + place(i)
      !$omp end critical
    end do
  end subroutine visible

  ! A clause that has the variable already.
  subroutine named(place, n, total)
    integer, intent(in) :: n, place(n)
    integer, intent(inout) :: total
    integer :: i
    !$omp parallel do default(none) shared(place, n, total)
    do i = 1, n
      ! expect: omp-critical-section no-fix
      !$omp critical
      total = total + place(i)
      !$omp end critical
    end do
  end subroutine named

  ! A loop that does not wait at its end, behind which the sum may be read too early.
  subroutine unwaited(place, n, total)
    integer, intent(in) :: n, place(n)
    integer, intent(inout) :: total
    integer :: i
    !$omp parallel
    !$omp do
    do i = 1, n
      ! expect: omp-critical-section no-fix
      !$omp critical
      total = total + place(i)
      !$omp end critical
    end do
    !$omp end do nowait
    !$omp end parallel
  end subroutine unwaited

  ! Directives that go on in the next line, or have a comment.
  subroutine continued(place, n, total)
    integer, intent(in) :: n, place(n)
    integer, intent(inout) :: total
    integer :: i
    !$omp parallel do &
    !$omp schedule(static)
    do i = 1, n
      ! expect: omp-critical-section no-fix
      !$omp critical
      total = total + place(i)
      !$omp end critical
    end do

    !$omp parallel do
    do i = 1, n
      ! expect: omp-critical-section no-fix
      !$omp critical ! one at a time
      total = total + place(i)
      !$omp end critical
    end do
  end subroutine continued

  ! A sum that the language of atomic updates does not have: the product binds both.
  subroutine loose(weight, n, cell, sums, cells)
    integer, intent(in) :: n, cells, cell(n)
    real(8), intent(in) :: weight(n)
    real(8), intent(inout) :: sums(cells)
    integer :: i
    !$omp parallel do
    do i = 1, n
      ! expect: omp-critical-section no-fix
      !$omp critical
      sums(cell(i)) = sums(cell(i)) + weight(i) - 1.0d0
      !$omp end critical
    end do
  end subroutine loose
end module kept
