! flags: -fopenmp
! fixes: omp-critical-section
! Sections that a clause or an atomic update replaces, in one program: it prints the same.
program gather
  implicit none
  integer, parameter :: n = 20000, cells = 1000000
  integer, allocatable :: place(:), tally(:)
  integer :: i, count, largest

  allocate (place(n), tally(cells))
  place = [(1 + mod(i * 37, cells), i = 1, n)]
  tally = 0
  count = 0
  largest = 0

  !$omp parallel do
  do i = 1, n
    ! expect: omp-critical-section "reduction(+:count)" fix
    !$omp critical
    count = count + mod(place(i), 3)
    !$omp end critical
  end do

  !$OMP PARALLEL
  !$OMP DO
  do i = 1, n
    ! expect: omp-critical-section "reduction(max:largest)" fix
    !$OMP CRITICAL (top)
    largest = max(largest, place(i))
    !$OMP END CRITICAL (top)
  end do
  !$OMP END DO
  !$OMP END PARALLEL

  !$omp parallel do
  do i = 1, n
    ! expect: omp-critical-section "atomic" fix
    !$omp critical (cells_of)
    tally(place(i)) = tally(place(i)) + 2 * place(i)
    !$omp end critical (cells_of)
  end do
  print '(4i12)', count, largest, sum(tally), maxval(tally)
end program gather
