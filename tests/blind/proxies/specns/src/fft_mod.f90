! radix-2 transforms of length n = 2**m on contiguous lines
module fft_mod
  use kinds
  implicit none
  private
  type, public :: plan_t
     integer :: n = 0, m = 0
     integer, allocatable :: rev(:)
     complex(dp), allocatable :: tw(:)
  end type plan_t
  public :: plan_create, fft_line
contains

  subroutine plan_create(p, n)
    type(plan_t), intent(out) :: p
    integer, intent(in) :: n
    integer :: i, j, b
    p%n = n
    p%m = nint(log(real(n, dp))/log(2.0_dp))
    allocate(p%rev(0:n-1), p%tw(0:n/2-1))
    do i = 0, n - 1
       j = 0
       do b = 0, p%m - 1
          if (btest(i, b)) j = ibset(j, p%m - 1 - b)
       end do
       p%rev(i) = j
    end do
    do i = 0, n/2 - 1
       p%tw(i) = exp(-2.0_dp*pi*iu*i/n)
    end do
  end subroutine plan_create

  ! sgn = 1 forward, -1 backward, unscaled
  pure subroutine fft_line(p, x, sgn)
    type(plan_t), intent(in) :: p
    complex(dp), intent(inout) :: x(0:)
    integer, intent(in) :: sgn
    integer :: i, j, s, half, step
    complex(dp) :: t, w
    do i = 0, p%n - 1
       j = p%rev(i)
       if (j > i) then
          t = x(i); x(i) = x(j); x(j) = t
       end if
    end do
    half = 1
    do s = 1, p%m
       step = p%n/(2*half)
       do j = 0, half - 1
          w = p%tw(j*step)
          if (sgn < 0) w = conjg(w)
          do i = j, p%n - 1, 2*half
             t = w*x(i + half)
             x(i + half) = x(i) - t
             x(i) = x(i) + t
          end do
       end do
       half = 2*half
    end do
  end subroutine fft_line
end module fft_mod
