! Components of all particles, and planes across the third dimension of an array of assumed shape: gaps in whatever array.
module cloud
  implicit none
  type :: particle
    real(8) :: x, y, v(3)
  end type particle
  type :: species
    integer :: number
    type(particle), allocatable :: p(:)
  end type species
contains
  subroutine push(n, x, y, work)
    integer, intent(in) :: n
    real(8), intent(in) :: x(n), y(n)
    real(8), intent(inout) :: work(n)
    integer :: i
    do i = 1, n
      work(i) = work(i) + x(i) * y(i)
    end do
  end subroutine push

  ! As many loops as the section has dimensions go over it once.
  subroutine absorb(s, nx, ny, ng, total)
    integer, intent(in) :: nx, ny, ng
    real(8), intent(in) :: s(nx, ny, ng)
    real(8), intent(inout) :: total(nx, ny)
    integer :: i, j, g
    do g = 1, ng
      do j = 1, ny
        do i = 1, nx
          total(i, j) = total(i, j) + s(i, j, g)
        end do
      end do
    end do
  end subroutine absorb

  subroutine steps(s, work, sigma, total, nx, ny, nz, ng)
    type(species), intent(in) :: s
    integer, intent(in) :: nx, ny, nz, ng
    real(8), intent(inout) :: work(:), sigma(:, :, :, :), total(nx, ny)
    integer :: step, k
    do step = 1, 1000
      ! expect: mem-array-temporary medium "'s%p(:)%x', 's%p(:)%y' are copied before each call of 'push': their elements" no-fix
      call push(s%number, s%p(:)%x, s%p(:)%y, work)
      do k = 1, nz
        ! expect: mem-array-temporary medium "'sigma(:,:,k,:)' is copied before each call of 'absorb'" no-fix
        call absorb(sigma(:, :, k, :), nx, ny, ng, total)
      end do
    end do
  end subroutine steps
end module cloud
