module pw_fft
  use pw_par
  use pw_grid
  implicit none
  private
  public :: fft_t

  type :: fft_t
     integer :: n = 0
     complex(dp), allocatable :: tw(:)
     integer, allocatable :: rev(:)
     complex(dp), pointer, contiguous :: box(:,:,:) => null()
   contains
     procedure :: plan
     procedure :: line
     procedure :: transform
     procedure :: scatter
     procedure :: gather
  end type fft_t

  interface
     module subroutine plan(self, n)
       class(fft_t), intent(inout) :: self
       integer, intent(in) :: n
     end subroutine plan
     module subroutine line(self, x, sgn)
       class(fft_t), intent(in) :: self
       complex(dp), intent(inout) :: x(:)
       integer, intent(in) :: sgn
     end subroutine line
     module subroutine transform(self, sgn)
       class(fft_t), intent(inout) :: self
       integer, intent(in) :: sgn
     end subroutine transform
     module subroutine scatter(self, g, c)
       class(fft_t), intent(inout), target :: self
       class(grid_t), intent(in) :: g
       complex(dp), intent(in) :: c(:)
     end subroutine scatter
     module subroutine gather(self, g, c)
       class(fft_t), intent(in), target :: self
       class(grid_t), intent(in) :: g
       complex(dp), intent(inout) :: c(:)
     end subroutine gather
  end interface
end module pw_fft
