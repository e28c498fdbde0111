! flags: -fopenmp
! Regions that meet each barrier once, where the next loop needs what the last one did, or nothing follows.
subroutine corners(field, n, depth)
  implicit none
  integer, intent(in) :: n, depth
  real(8), intent(inout) :: field(-1:n + 2, -1:n + 2)
  integer :: j, k
  !$omp parallel private(j, k)
  !$omp do
  do j = 1 - depth, n + depth
    do k = 1, depth
      field(j, 1 - k) = field(j, k)
    end do
  end do
  !$omp end do
  if (depth > 1) then
    !$omp do
    do k = 1 - depth, n + depth
      do j = 1, depth
        field(1 - j, k) = field(j, k)
      end do
    end do
    !$omp end do
  end if
  !$omp do
  do k = 1, n
    field(k, 0) = field(1, k)
  end do
  !$omp end do
  !$omp end parallel
end subroutine corners

! The last loop of each arm, before the region's end.
subroutine arms(a, b, n, way)
  implicit none
  integer, intent(in) :: n, way
  real(8), intent(inout) :: a(n), b(n)
  integer :: i
  !$omp parallel
  if (way == 1) then
    !$omp do
    do i = 1, n
      a(i) = b(i)
    end do
    !$omp end do
  else if (way == 2) then
    !$omp do
    do i = 1, n
      b(i) = a(i)
    end do
    !$omp end do
  else
    !$omp do
    do i = 1, n
      a(i) = 0.0d0
    end do
    !$omp end do
  end if
  !$omp end parallel
end subroutine arms

! A barrier in one arm keeps nothing apart in the other; a barrier that not all runs meet keeps nothing apart.
subroutine sometimes(a, b, c, n, way)
  implicit none
  integer, intent(in) :: n, way
  real(8), intent(inout) :: a(n), b(n), c(n)
  integer :: i
  !$omp parallel
  !$omp do schedule(static)
  do i = 1, n
    a(i) = b(i)
  end do
  !$omp end do
  if (way == 1) then
    !$omp do schedule(static)
    do i = 1, n
      b(i) = 1.0d0
    end do
    !$omp end do
  end if
  !$omp do schedule(static)
  do i = 1, n
    c(i) = a(n + 1 - i) + b(n + 1 - i)
  end do
  !$omp end do nowait
  !$omp end parallel
end subroutine sometimes

! Calls, functions of the program, hidden lines, parts dealt out in other ways, other bounds, pointers to both.
subroutine unread(a, b, c, n, m)
  implicit none
  integer, intent(in) :: n, m
  real(8), intent(inout) :: a(n), b(n), c(n)
  real(8), external :: weight
  integer :: i
  !$omp parallel
  !$omp do
  do i = 1, n
    a(i) = weight(i)
  end do
  !$omp end do
  !$omp do
  do i = 1, n
    b(i) = 0.0d0
  end do
  !$omp end do
  !$omp end parallel
  !$omp parallel
  !$omp do
  do i = 1, n
    call fill(a(i))
  end do
  !$omp end do
  !$omp do
  do i = 1, n
    b(i) = 0.0d0
  end do
  !$omp end do
  !$omp end parallel
  !$omp parallel
  !$omp do
  do i = 1, n
    a(i) = 1.0d0
    !$ b(i) = 2.0d0
  end do
  !$omp end do
  !$omp do
  do i = 1, n
    c(i) = b(n + 1 - i)
  end do
  !$omp end do
  !$omp end parallel
  !$omp parallel
  !$omp do
  do i = 1, m
    a(i) = 1.0d0
  end do
  !$omp end do
  !$omp do
  do i = 1, n
    c(i) = a(i)
  end do
  !$omp end do
  !$omp end parallel
  !$omp parallel
  !$omp do simd
  do i = 1, n
    a(i) = 1.0d0
  end do
  !$omp end do simd
  !$omp do
  do i = 1, n
    c(i) = a(i)
  end do
  !$omp end do
  !$omp end parallel
end subroutine unread

! What the threads have done since they met is for others; some runs of the loop go past the meeting.
subroutine handed(a, b, n, steps, scale)
  implicit none
  integer, intent(in) :: n, steps
  real(8), intent(inout) :: a(n), b(n), scale
  integer :: i, step
  !$omp parallel private(i, step)
  !$omp do
  do i = 1, n
    a(i) = 0.0d0
  end do
  !$omp end do
  !$omp master
  scale = 2.0d0
  !$omp end master
  !$omp barrier
  call apply(a, scale, n)
  do step = 1, steps
    !$omp barrier
    call relax(a, b, n)
    if (step == 3) cycle
    !$omp do
    do i = 1, n
      a(i) = a(i) + 1.0d0
    end do
    !$omp end do
  end do
  !$omp end parallel
end subroutine handed
