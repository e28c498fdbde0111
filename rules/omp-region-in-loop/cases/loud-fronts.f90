! flags: -fopenmp
! Fronts of a sweep: a table has the length of each, and a list its elements.
subroutine sweep(flux, source, list, first, fronts, n)
  implicit none
  integer, intent(in) :: fronts, n, first(fronts + 1), list(n)
  real(8), intent(inout) :: flux(n)
  real(8), intent(in) :: source(n)
  integer :: f, k, cell
  do f = 1, fronts
    ! expect: omp-region-in-loop medium "as few or many elements as a table says" "1 to 37 us each time"
    !$omp parallel do private(cell)
    do k = first(f), first(f + 1) - 1
      cell = list(k)
      flux(cell) = 0.5d0 * (flux(cell) + source(cell))
    end do
    !$omp end parallel do
  end do
end subroutine sweep
