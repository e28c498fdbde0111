! flags: -fopenmp
! Fronts of a sweep whose elements are computed until they are good: nobody knows how long that takes, but the table
! says how many there are.
subroutine sweep(flux, source, list, first, fronts, n)
  implicit none
  integer, intent(in) :: fronts, n, first(fronts + 1), list(n)
  real(8), intent(inout) :: flux(n)
  real(8), intent(in) :: source(n)
  real(8) :: rest(8)
  integer :: f, k, cell
  do f = 1, fronts
    ! expect: omp-region-in-loop medium "as few or many elements as a table says"
    !$omp parallel do private(cell, rest)
    do k = first(f), first(f + 1) - 1
      cell = list(k)
      rest = source(cell)
      fixup: do
        where (rest > 1.0d0) rest = 0.5d0 * rest
        flux(cell) = 0.5d0 * (flux(cell) + sum(rest))
        if (flux(cell) < 1.0d0) exit fixup
      end do fixup
    end do
    !$omp end parallel do
  end do
end subroutine sweep
