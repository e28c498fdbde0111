! flags: -fopenmp
! Sections that do more, atomic updates of elements, locks of elements, values that functions make or others read.
module deposits
  use omp_lib
  implicit none
contains
  subroutine deposit(charge, cell, rho, mass, locks, n, cells, count, seen, name)
    integer, intent(in) :: n, cells, cell(n)
    real(8), intent(in) :: charge(n)
    real(8), intent(inout) :: rho(cells), mass(cells)
    integer(omp_lock_kind), intent(inout) :: locks(cells)
    integer, intent(inout) :: count, seen(n)
    character(*), intent(in) :: name
    real(8) :: own(10), total
    integer :: i, k
    real(8), external :: next_random

    total = 0
    !$omp parallel do
    do i = 1, n
      !$omp atomic
      rho(cell(i)) = rho(cell(i)) + charge(i)
      call omp_set_lock(locks(cell(i)))
      rho(cell(i)) = rho(cell(i)) * charge(i)
      mass(cell(i)) = mass(cell(i)) + 1.0d0
      call omp_unset_lock(locks(cell(i)))
      !$omp critical (log)
      count = count + 1
      print *, name, count
      !$omp end critical (log)
      !$omp critical (draw)
      total = total + next_random()
      !$omp end critical (draw)
      !$omp atomic read
      k = count
      !$omp atomic capture
      k = count
      count = count + 1
      !$omp end atomic
      seen(k) = i
    end do

    ! Each thread hands over what it has.
    !$omp parallel private(own, k)
    own = 0
    !$omp do
    do i = 1, n
      own(mod(i, 10) + 1) = own(mod(i, 10) + 1) + charge(i)
    end do
    !$omp end do
    do k = 1, 10
      !$omp atomic
      rho(k) = rho(k) + own(k)
    end do
    !$omp critical
    total = total + own(1)
    !$omp end critical
    !$omp end parallel

    ! A variable of each thread's own needs no section, but that is another matter; nor does one thread.
    !$omp parallel private(total)
    !$omp do
    do i = 1, n
      !$omp critical (own)
      total = total + charge(i)
      !$omp end critical (own)
    end do
    !$omp single
    do i = 1, n
      !$omp critical (single)
      count = count + 1
      !$omp end critical (single)
    end do
    !$omp end single
    !$omp end parallel
    print *, total
  end subroutine deposit
end module deposits
