! flags: -fopenmp
! One thread writes a face, a tail, some of the elements or what a condition lets it; or procedures write
! that get parts, or that nobody knows.
subroutine relax(n, rows, columns, first, steps, cold)
  implicit none
  integer, intent(in) :: n, rows, columns, first, steps
  logical, intent(in) :: cold(n, n)
  real(8), allocatable :: face(:, :, :), tail(:, :), some(:, :), masked(:, :), pieces(:, :), chosen(:, :)
  integer, allocatable :: order(:)
  real(8), save :: given(1000, 1000)
  integer :: i, j, step
  allocate(face(n, n, n), tail(n, n), some(n, n), masked(n, n), pieces(n, n), chosen(n, n), order(n))
  do j = 1, columns
    do i = 1, rows
      face(i, j, 1) = 0.0d0
    end do
  end do
  do j = first, n
    do i = 1, n
      tail(i, j) = 0.0d0
    end do
  end do
  read (10) order
  do j = 1, n
    do i = 1, n
      some(i, order(j)) = 0.0d0
      if (cold(i, j)) masked(i, j) = 0.0d0
    end do
    call zero(pieces(1, j), n)
  end do
  where (cold)
    chosen = 1.0d0
  end where
  do j = 1, n
    do i = 1, n
      pieces(i, j) = 1.0d0
    end do
  end do
  call elsewhere(given)
  given = 0.0d0
  do step = 1, steps
    !$omp parallel do private(i)
    do j = 1, 1000
      do i = 1, 1000
        given(i, j) = given(i, j) + 1.0d0
      end do
    end do
    !$omp end parallel do
    !$omp parallel do private(i)
    do j = 1, n
      do i = 1, n
        tail(i, j) = tail(i, j) + some(i, j) + masked(i, j) + pieces(i, j) + chosen(i, j) + face(i, 1, j)
      end do
    end do
    !$omp end parallel do
  end do
  print *, tail(1, 1)
end subroutine relax

! Which procedure fills the array the caller knows.
subroutine filled_by(zero, n, steps)
  implicit none
  external :: zero
  integer, intent(in) :: n, steps
  real(8), allocatable :: line(:)
  integer :: i, step
  allocate(line(n))
  call zero(line, n)
  do step = 1, steps
    !$omp parallel do
    do i = 1, n
      line(i) = line(i) + 1.0d0
    end do
    !$omp end parallel do
  end do
  print *, line(1)
end subroutine filled_by

subroutine zero(column, n)
  implicit none
  integer, intent(in) :: n
  real(8), intent(out) :: column(n)
  integer :: i
  do i = 1, n
    column(i) = 0.0d0
  end do
end subroutine zero
