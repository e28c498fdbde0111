! flags: -fopenmp
! A common block, and an array that a procedure gets as an argument: both are filled component by component.
subroutine start(n)
  implicit none
  integer, intent(in) :: n
  integer, parameter :: side = 200
  real(8) :: u(5, side, side, 0:side)
  common /state/ u
  integer :: i, j, k
  ! expect: omp-serial-first-touch high "'u'" "line 27"
  do k = 0, n
    do j = 1, n
      do i = 1, n
        u(1, i, j, k) = 1.0d0
      end do
    end do
  end do
  call step(u, n, side)
end subroutine start

subroutine step(u, n, side)
  implicit none
  integer, intent(in) :: n, side
  real(8) :: u(5, side, side, 0:side)
  integer :: i, j, k, m
  !$omp parallel do private(i, j, m)
  do k = 0, n
    do j = 1, n
      do i = 1, n
        do m = 1, 5
          u(m, i, j, k) = 0.5d0 * u(m, i, j, k) + 1.0d0
        end do
      end do
    end do
  end do
end subroutine step
