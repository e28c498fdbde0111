! flags: -fopenmp
! Elements of which each iteration may have another one, or that something protects.
module scatters
  use omp_lib
  implicit none
contains
  subroutine reorder(n, place, from, to)
    integer, intent(in) :: n, place(n)
    real(8), intent(in) :: from(n)
    real(8), intent(inout) :: to(n)
    integer :: i
    !$omp parallel do
    do i = 1, n
      to(place(i)) = to(place(i)) + from(i)
    end do
  end subroutine reorder

  subroutine protect(n, key, count, total)
    integer, intent(in) :: n, key(n)
    integer, intent(inout) :: count(64), total(64)
    integer :: i
    !$omp parallel do reduction(+:total)
    do i = 1, n
      ! expect: omp-critical-section high
      !$omp atomic
      count(key(i)) = count(key(i)) + 1
      total(key(i)) = total(key(i)) + 1
    end do
  end subroutine protect

  subroutine copies(n, key, all)
    integer, intent(in) :: n, key(n)
    integer, intent(inout) :: all(:, 0:)
    integer :: mine(64), i, me
    !$omp parallel private(mine, me)
    me = omp_get_thread_num()
    mine = 0
    !$omp do
    do i = 1, n
      mine(key(i)) = mine(key(i)) + 1
      all(key(i), me) = all(key(i), me) + 1
    end do
    !$omp end parallel
  end subroutine copies

  subroutine colours(number, first, elements, list, nodes, load, force)
    integer, intent(in) :: number, elements, first(number + 1), list(elements, number), nodes(8, elements)
    real(8), intent(in) :: load(elements)
    real(8), intent(inout) :: force(:)
    integer :: c, e, k, i, n
    do c = 1, number
      ! expect: omp-region-in-loop medium
      !$omp parallel do private(k)
      do e = first(c), first(c + 1) - 1
        do k = 1, 8
          force(nodes(k, e)) = force(nodes(k, e)) + load(e)
        end do
      end do
      n = elements / number
      !$omp parallel do private(k, e)
      do i = 1, n
        e = list(i, c)
        do k = 1, 8
          force(nodes(k, e)) = force(nodes(k, e)) + load(e)
        end do
      end do
    end do
  end subroutine colours

  subroutine cells(number, length, list, push, force)
    integer, intent(in) :: number, length(number), list(64, number)
    real(8), intent(in) :: push(number)
    real(8), intent(inout) :: force(:)
    integer :: c, k
    !$omp parallel do private(k)
    do c = 1, number
      do k = 1, length(c)
        force(list(k, c)) = force(list(k, c)) + push(c)
      end do
    end do
  end subroutine cells

  subroutine rows(n, key, x, table)
    integer, intent(in) :: n, key(8, n)
    real(8), intent(in) :: x(n)
    real(8), intent(inout) :: table(64, n)
    integer :: i, k
    !$omp parallel do private(k)
    do i = 1, n
      do k = 1, 8
        table(key(k, i), i) = table(key(k, i), i) + x(i)
      end do
    end do
  end subroutine rows
end module scatters
