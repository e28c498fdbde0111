! Nests that another order would serve, and whose headers alone do not make it.
module sweeps
  implicit none
  integer, parameter :: n = 320
  integer :: shared_counter
contains
  ! A counter that is read behind its loop.
  subroutine counter_is_read(a, last)
    real(8), intent(inout) :: a(n, n)
    integer, intent(out) :: last
    integer :: i, j
    do i = 1, n
      ! expect: mem-strided-inner-loop high no-fix
      do j = 1, n
        a(i, j) = a(i, j) + 1.0d0
      end do
    end do
    last = j
  end subroutine counter_is_read

  ! A counter that other procedures see.
  subroutine counter_is_shared(a)
    real(8), intent(inout) :: a(n, n)
    integer :: j
    do shared_counter = 1, n
      ! expect: mem-strided-inner-loop no-fix
      do j = 1, n
        a(shared_counter, j) = a(shared_counter, j) + 1.0d0
      end do
    end do
  end subroutine counter_is_shared

  ! A header that is continued on the next line.
  subroutine continued(a)
    real(8), intent(inout) :: a(n, n)
    integer :: i, j
    do i = 1, &
        n
      ! expect: mem-strided-inner-loop high no-fix
      do j = 1, n
        a(i, j) = a(i, j) + 1.0d0
      end do
    end do
  end subroutine continued

  ! A word to the compiler about the inner loop.
  subroutine directed(a)
    real(8), intent(inout) :: a(n, n)
    integer :: i, j
    do i = 1, n
      !dir$ ivdep
      ! expect: mem-strided-inner-loop high no-fix
      do j = 1, n
        a(i, j) = a(i, j) + 1.0d0
      end do
    end do
  end subroutine directed

  ! A bound that is called for.
  subroutine called(a)
    real(8), intent(inout) :: a(n, n)
    integer :: i, j
    do i = 1, n
      ! expect: mem-strided-inner-loop high no-fix
      do j = 1, min(n, 310)
        a(i, j) = a(i, j) + 1.0d0
      end do
    end do
  end subroutine called

  ! Ends of loops on one line.
  subroutine together(a)
    real(8), intent(inout) :: a(n, n)
    integer :: i, j
    do i = 1, n
      ! expect: mem-strided-inner-loop high no-fix
      do j = 1, n
        a(i, j) = a(i, j) + 1.0d0
    end do; end do
  end subroutine together

  ! A loop inside that is unrolled.
  subroutine unrolled(a)
    real(8), intent(inout) :: a(n, n, 3)
    integer :: i, j, k
    do i = 1, n
      ! expect: mem-strided-inner-loop high no-fix
      do j = 1, n
        do k = 1, 3
          a(i, j, k) = a(i, j, k) + 1.0d0
        end do
      end do
    end do
  end subroutine unrolled
end module sweeps
