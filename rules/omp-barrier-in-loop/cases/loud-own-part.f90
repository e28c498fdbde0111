! flags: -fopenmp
! Both loops give each thread the same part: without a schedule by default only, and other components of one record.
module bodies
  implicit none
  type body_list
    real(8), allocatable :: place(:), speed(:), force(:)
  end type body_list
contains
  subroutine advance(list, n, steps)
    type(body_list), intent(inout) :: list
    integer, intent(in) :: n, steps
    integer :: i, k, step
    !$omp parallel private(i, k, step)
    do step = 1, steps
      ! expect: omp-barrier-in-loop medium "give the loops on both sides schedule(static) and end the !$omp do of line 16"
      !$omp do
      do i = 1, n
        list%speed(i) = list%speed(i) + 0.01d0 * list%force(i)
      end do
      ! expect: omp-barrier-in-loop medium "give the loops on both sides schedule(static)"
      !$omp do
      do k = 1, n
        list%place(k) = list%place(k) + 0.01d0 * list%speed(k)
      end do
      !$omp end do
    end do
    !$omp end parallel
  end subroutine advance

  ! Columns of a matrix are dealt out alike. What one thread does concerns nobody else, but the next one that does it: one
  ! meeting has to stay.
  subroutine sweep(a, b, rows, columns, steps, rounds)
    integer, intent(in) :: rows, columns, steps
    real(8), intent(inout) :: a(rows, columns), b(rows, columns)
    integer, intent(out) :: rounds
    integer :: i, j, step
    rounds = 0
    !$omp parallel default(none) shared(a, b, rows, columns, steps, rounds) private(i, j, step)
    do step = 1, steps
      !$omp single
      rounds = rounds + 1
      !$omp end single
      !$omp do schedule(static)
      do j = 1, columns
        do i = 1, rows
          a(i, j) = 0.5d0 * a(i, j)
        end do
      end do
      !$omp end do nowait
      ! expect: omp-barrier-in-loop medium "explicit"
      !$omp barrier
      !$omp do schedule(static)
      do j = 1, columns
        b(1, j) = a(rows, j)
      end do
      !$omp end do nowait
      ! expect: omp-barrier-in-loop medium "explicit"
      !$omp barrier
    end do
    !$omp end parallel
  end subroutine sweep
end module bodies
