! flags: -fopenmp
! Each thread has elements of its own, or what keeps the others away.
subroutine own(a, b, c, sums, place, n, tile)
  implicit none
  integer, intent(in) :: n, tile, place(n)
  real(8), intent(in) :: a(n, n), b(n, n)
  real(8), intent(inout) :: c(n, n), sums(n)
  real(8) :: bins(8), copy(8)
  integer :: i, j, k, it, jt, at
  !$omp parallel do collapse(2) private(i, j, k)
  do jt = 1, n, tile
    do it = 1, n, tile
      do j = jt, min(n, jt + tile - 1)
        do k = 1, n
          do i = it, min(n, it + tile - 1)
            c(i, j) = c(i, j) + a(i, k) * b(k, j)
          end do
        end do
      end do
    end do
  end do
  !$omp end parallel do
  !$omp parallel do private(i, at)
  do k = 1, n
    do i = 1, n
      at = place(k)
      sums(at) = sums(at) + a(i, k)
      !$omp atomic
      sums(i) = sums(i) + a(i, k)
      if (k == 1) then
        sums(i) = sums(i) + 1.0d0
      end if
    end do
  end do
  !$omp end parallel do
  bins = 0.0d0
  !$omp parallel do reduction(+:bins) private(copy, i)
  do k = 1, n
    copy = 0.0d0
    do i = 1, 8
      copy(i) = copy(i) + a(i, k)
      bins(i) = bins(i) + copy(i)
    end do
  end do
  !$omp end parallel do
  sums(1) = sum(bins)
end subroutine own

! A column of each iteration's own: the shared counter chooses the last index.
subroutine columns(a, c, n)
  implicit none
  integer, intent(in) :: n
  real(8), intent(in) :: a(n, n)
  real(8), intent(inout) :: c(n, n)
  integer :: i, k
  !$omp parallel do private(i)
  do k = 1, n
    do i = 1, n
      c(i, k) = c(i, k) + a(i, k)
    end do
  end do
  !$omp end parallel do
end subroutine columns
