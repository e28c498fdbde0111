! flags: -fopenmp
! A sort that exchanges neighbours: as many passes as there are elements, each with a team of its own.
subroutine sort(a, n)
  implicit none
  integer, intent(in) :: n
  integer, intent(inout) :: a(n)
  integer :: pass, k, kept
  do pass = 1, n
    ! expect: omp-region-in-loop medium "a loop of no more iterations than that" "1 to 37 us each time"
    !$omp parallel do private(kept)
    do k = 1, n - 1
      if (mod(k + pass, 2) == 0 .and. a(k) > a(k + 1)) then
        kept = a(k)
        a(k) = a(k + 1)
        a(k + 1) = kept
      end if
    end do
    !$omp end parallel do
  end do
end subroutine sort

! Passes of another number, and steps of another width.
subroutine passes(a, n, count)
  implicit none
  integer, intent(in) :: n, count
  integer, intent(inout) :: a(n)
  integer :: pass, k
  do pass = 1, count
    !$omp parallel do
    do k = 1, n
      a(k) = ieor(a(k), pass)
    end do
    !$omp end parallel do
  end do
  do pass = 1, n, 64
    !$omp parallel do
    do k = 1, n
      a(k) = ieor(a(k), pass)
    end do
    !$omp end parallel do
  end do
end subroutine passes
