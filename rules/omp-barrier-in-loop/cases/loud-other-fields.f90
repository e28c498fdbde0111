! flags: -fopenmp
! Regions that meet each barrier once: loops over other fields, under conditions, and arms of a branch.
subroutine reset(density, energy, speed, old_density, old_speed, n, m)
  implicit none
  integer, intent(in) :: n, m
  real(8), intent(inout) :: density(n, m), energy(n, m), speed(n + 1, m + 1)
  real(8), intent(in) :: old_density(n, m), old_speed(n + 1, m + 1)
  integer :: j, k
  !$omp parallel
  ! expect: omp-barrier-in-loop medium "implicit barrier is met each time that the region is opened, and nothing" "end the !$omp do of line 11 by !$omp end do nowait"
  !$omp do
  do k = 1, m
    do j = 1, n
      density(j, k) = old_density(j, k)
      energy(j, k) = abs(old_density(j, k))
    end do
  end do
  !$omp end do
  !$omp do
  do k = 1, m + 1
    do j = 1, n + 1
      speed(j, k) = old_speed(j, k)
    end do
  end do
  !$omp end do
  !$omp end parallel
end subroutine reset

! Two sides of each field, one after the other: corners belong to both. The next field is another one.
subroutine mirror(wanted, first, second, third, n, depth)
  implicit none
  integer, intent(in) :: n, depth
  logical, intent(in) :: wanted(3)
  real(8), intent(inout) :: first(-1:n + 2, -1:n + 2), second(-1:n + 2, -1:n + 2), third(-1:n + 2, -1:n + 2)
  integer :: j, k
  !$omp parallel private(j, k)
  if (wanted(1)) then
    !$omp do
    do j = 1 - depth, n + depth
      do k = 1, depth
        first(j, 1 - k) = first(j, k)
      end do
    end do
    !$omp end do
    ! expect: omp-barrier-in-loop medium "as 1 other one is" "end the constructs of lines 46 and 62 by '!$omp end … nowait'"
    !$omp do
    do k = 1 - depth, n + depth
      do j = 1, depth
        first(1 - j, k) = first(j, k)
      end do
    end do
    !$omp end do
  end if
  if (wanted(2)) then
    !$omp do
    do j = 1 - depth, n + depth
      do k = 1, depth
        second(j, 1 - k) = second(j, k)
      end do
    end do
    !$omp end do
    !$omp do
    do k = 1 - depth, n + depth
      do j = 1, depth
        second(1 - j, k) = second(j, k)
      end do
    end do
    !$omp end do
  end if
  if (wanted(3)) then
    !$omp do
    do j = 1 - depth, n + depth
      do k = 1, depth
        third(j, 1 - k) = third(j, k)
      end do
    end do
    !$omp end do
  end if
  !$omp end parallel
end subroutine mirror

! The columns of one loop are those of the other.
subroutine advance(flux, mass, volume, upwind, n, m)
  implicit none
  integer, intent(in) :: n, m
  logical, intent(in) :: upwind
  real(8), intent(inout) :: flux(n + 1, m), mass(n, m)
  real(8), intent(in) :: volume(n, m)
  integer :: j, k
  !$omp parallel
  if (upwind) then
    ! expect: omp-barrier-in-loop medium "as 1 other one is" "give the loops on both sides schedule(static) and end the constructs of lines 93 and 101"
    !$omp do
    do k = 1, m
      do j = 2, n
        flux(j, k) = volume(j - 1, k)
      end do
    end do
    !$omp end do
  else
    !$omp do
    do k = 1, m
      do j = 2, n
        flux(j, k) = volume(j, k)
      end do
    end do
    !$omp end do
  end if
  !$omp do
  do k = 1, m
    do j = 1, n
      mass(j, k) = mass(j, k) + flux(j, k) - flux(j + 1, k)
    end do
  end do
  !$omp end do
  !$omp end parallel
end subroutine advance

! The team has met, and what each thread has done since concerns itself.
subroutine march(a, b, n, steps)
  use omp_lib
  implicit none
  integer, intent(in) :: n, steps
  real(8), intent(inout) :: a(n), b(n)
  real(8) :: began
  integer :: i, step
  !$omp parallel private(i, step, began)
  !$omp do
  do i = 1, n
    a(i) = 0.0d0
  end do
  !$omp end do
  began = 0.0d0
  do step = 1, steps
    ! expect: omp-barrier-in-loop high "explicit barrier runs in every iteration" "delete it"
    !$omp barrier
    !$omp master
    if (step == 2) began = omp_get_wtime()
    !$omp end master
    call relax(a, b, n)
    !$omp do
    do i = 1, n
      a(i) = a(i) + 1.0d0
    end do
    !$omp end do
  end do
  ! expect: omp-barrier-in-loop high "explicit barrier stands beside another one" "delete it"
  !$omp barrier
  !$omp master
  b(1) = omp_get_wtime() - began
  !$omp end master
  !$omp end parallel
end subroutine march
