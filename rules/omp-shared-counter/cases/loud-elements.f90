! flags: -fopenmp
! Threads share out a loop that does not choose the element: alone, as one of several, by tiles.
subroutine multiply(a, b, c, n, tile)
  implicit none
  integer, intent(in) :: n, tile
  real(8), intent(in) :: a(n, n), b(n, n)
  real(8), intent(inout) :: c(n, n)
  integer :: i, j, k, it, jt, kt
  ! expect: omp-shared-counter high "'c(i,j)'" "all of the loop over 'kt' at line 12 has to be one thread's" no-fix
  !$omp parallel do collapse(3) private(i, j, k)
  do jt = 1, n, tile
    do kt = 1, n, tile
      do it = 1, n, tile
        do j = jt, min(n, jt + tile - 1)
          do k = kt, min(n, kt + tile - 1)
            do i = it, min(n, it + tile - 1)
              c(i, j) = c(i, j) + a(i, k) * b(k, j)
            end do
          end do
        end do
      end do
    end do
  end do
  !$omp end parallel do
end subroutine multiply

! In a procedure that a team runs.
subroutine weigh(mass, density, n, m)
  implicit none
  integer, intent(in) :: n, m
  real(8), intent(in) :: density(n, m)
  real(8), intent(inout) :: mass(n)
  integer :: i, k
  ! expect: omp-shared-counter medium "'mass(i)'" "over 'k'" no-fix
  !$omp do private(i)
  do k = 1, m
    do i = 1, n
      mass(i) = mass(i) + density(i, k)
    end do
  end do
  !$omp end do
end subroutine weigh
