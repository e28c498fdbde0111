! flags: -fopenmp
! Clauses, constructs of one thread or one after the other, orphaned loops, blocks, what one iteration does, constants.
module state
  implicit none
  integer :: calls
  !$omp threadprivate(calls)
contains
  subroutine orphan(a, n)
    integer, intent(in) :: n
    real(8), intent(inout) :: a(n)
    real(8) :: t
    integer :: i
    !$omp do
    do i = 1, n
      t = a(i)
      a(i) = t * t
    end do
    !$omp end do
  end subroutine orphan

  subroutine scan(a, b, n)
    use omp_lib
    integer, intent(in) :: n
    real(8), intent(in) :: a(n)
    real(8), intent(out) :: b(n)
    real(8) :: t, total, last, mine
    logical :: found
    integer :: i, steps, first

    total = 0
    steps = 0
    !$omp parallel do private(t) reduction(+:total) lastprivate(last)
    do i = 1, n
      t = a(i)
      b(i) = t * t
      total = total + t
      last = t
    end do
    !$omp parallel default(private) shared(a, b, n, steps, found)
    t = omp_get_thread_num()
    !$omp do
    do i = 1, n
      t = a(i)
      b(i) = t
    end do
    !$omp end do
    !$omp single
    steps = steps + 1
    !$omp end single
    !$omp critical (count)
    steps = steps + 1
    !$omp end critical (count)
    !$omp atomic
    steps = steps + 1
    !$omp master
    steps = steps + 1
    !$omp end master
    !$omp end parallel
    !$omp parallel do
    do i = 1, n
      calls = calls + 1
      if (i == n) first = i + 1
      if (a(i) < 0) found = .true.
      block
        real(8) :: own
        own = a(i)
        b(i) = own + 1
      end block
    end do
    !$omp parallel private(mine)
    mine = 0
    ! expect: omp-barrier-in-loop medium "nowait" no-fix
    !$omp do
    do i = 1, n
      mine = mine + a(i)
    end do
    if (omp_get_thread_num() == 0) then
      total = total + mine
    end if
    !$omp end parallel
    if (found) print *, total, last, steps, first
  end subroutine scan
end module state
