module pw_wave
  use pw_par
  use pw_grid
  use pw_fft
  implicit none
  private
  public :: wave_t, density_t

  type :: density_t
     real(dp), allocatable :: r(:,:,:), old(:,:,:), v(:,:,:)
   contains
     procedure :: create
     procedure :: add_band
     procedure :: mix
     procedure :: xc
     procedure :: profile
  end type density_t

  type :: wave_t
     integer :: nb = 0, npw = 0
     complex(dp), allocatable :: c(:,:), hc(:,:)      ! npw, band
     complex(dp), allocatable :: becp(:,:)            ! projector, band
     complex(dp), allocatable :: beta(:,:)            ! npw, projector
     real(dp), allocatable :: occ(:)
   contains
     procedure :: start
     procedure :: overlap
     procedure :: project
     procedure :: apply_h
     procedure :: descend
     procedure :: normalise
     procedure :: weights
  end type wave_t

  interface
     module subroutine create(self, n)
       class(density_t), intent(inout) :: self
       integer, intent(in) :: n
     end subroutine create
     module subroutine add_band(self, f, occ)
       class(density_t), intent(inout) :: self
       class(fft_t), intent(in) :: f
       real(dp), intent(in) :: occ
     end subroutine add_band
     module subroutine mix(self, alpha, d)
       class(density_t), intent(inout) :: self
       real(dp), intent(in) :: alpha
       real(dp), intent(out) :: d
     end subroutine mix
     module subroutine xc(self, e)
       class(density_t), intent(inout), target :: self
       real(dp), intent(out) :: e
     end subroutine xc
     module subroutine profile(self, z)
       class(density_t), intent(in) :: self
       real(dp), intent(out) :: z(:)
     end subroutine profile
     module subroutine start(self, g, nb, np, seed)
       class(wave_t), intent(inout) :: self
       class(grid_t), intent(in) :: g
       integer, intent(in) :: nb, np, seed
     end subroutine start
     module subroutine overlap(self, other, s)
       class(wave_t), intent(in) :: self
       complex(dp), intent(in) :: other(:,:)
       complex(dp), intent(out) :: s(:,:)
     end subroutine overlap
     module subroutine project(self)
       class(wave_t), intent(inout) :: self
     end subroutine project
     module subroutine apply_h(self, g, f, v)
       class(wave_t), intent(inout) :: self
       class(grid_t), intent(in) :: g
       class(fft_t), intent(inout) :: f
       real(dp), intent(in) :: v(:,:,:)
     end subroutine apply_h
     module subroutine descend(self, g, tau, res)
       class(wave_t), intent(inout) :: self
       class(grid_t), intent(in) :: g
       real(dp), intent(in) :: tau
       real(dp), intent(out) :: res(:)
     end subroutine descend
     module subroutine normalise(self)
       class(wave_t), intent(inout) :: self
     end subroutine normalise
     module subroutine weights(self, e, mu)
       class(wave_t), intent(inout) :: self
       real(dp), intent(in) :: e(:), mu
     end subroutine weights
  end interface
end module pw_wave
