! flags: -fopenmp
! A table has the length of each front, but one element takes as long as the opening of a team.
subroutine sweep(flux, list, first, fronts, n)
  implicit none
  integer, parameter :: nodes = 32
  integer, intent(in) :: fronts, n, first(fronts + 1), list(n)
  real(8), intent(inout) :: flux(nodes, nodes, n)
  real(8) :: own(nodes, nodes)
  integer :: f, k, cell, i, j, l
  do f = 1, fronts
    ! expect: omp-region-in-loop low "as few or many elements as a table says"
    !$omp parallel do private(cell, own, i, j, l)
    do k = first(f), first(f + 1) - 1
      cell = list(k)
      do j = 1, nodes
        do i = 1, nodes
          own(i, j) = 0.0d0
          do l = 1, nodes
            own(i, j) = own(i, j) + flux(i, l, cell) * flux(j, l, cell)
          end do
        end do
      end do
      do j = 1, nodes
        do i = 1, nodes
          flux(i, j, cell) = own(i, j) / (1.0d0 + abs(own(i, j)))
        end do
      end do
    end do
    !$omp end parallel do
  end do
end subroutine sweep
