module field_m
  use base_m
  use material_m
  implicit none
  private
  public :: field_t, operator(-), assignment(=)

  type :: field_t
    integer :: n(4) = 0
    real(wp), allocatable :: a(:,:,:,:)        ! (group, x, y, z)
  contains
    procedure :: create
    procedure :: zero
    procedure :: maxdiff
    procedure :: scatter
    procedure :: group_sum
    procedure :: clip
    procedure :: plane_mean
    procedure :: energy
  end type field_t

  interface operator(-)
    module procedure minus
  end interface
  interface assignment(=)
    module procedure copy
  end interface

contains

  subroutine create(this, g)
    class(field_t), intent(inout) :: this
    type(grid_t), intent(in) :: g
    this%n = [g%ng, g%nx, g%ny, g%nz]
    allocate(this%a(g%ng,g%nx,g%ny,g%nz), source=0.0_wp)
  end subroutine create

  subroutine zero(this)
    class(field_t), intent(inout) :: this
    integer :: k
    !$omp parallel do
    do k = 1, this%n(4)
      this%a(:,:,:,k) = 0.0_wp
    end do
  end subroutine zero

  function minus(x, y) result(z)
    type(field_t), intent(in) :: x, y
    type(field_t) :: z
    z%n = x%n
    z%a = x%a - y%a
  end function minus

  subroutine copy(x, y)
    class(field_t), intent(inout) :: x
    type(field_t), intent(in) :: y
    x%n = y%n
    if (.not. allocated(x%a)) allocate(x%a, mold=y%a)
    x%a(:,:,:,:) = y%a
  end subroutine copy

  real(wp) function maxdiff(this)
    class(field_t), intent(in) :: this
    integer :: ig, i, j, k
    real(wp) :: d
    d = 0.0_wp
    !$omp parallel do private(ig,i,j) reduction(max:d)
    do k = 1, this%n(4)
      do ig = 1, this%n(1)
        do j = 1, this%n(3)
          do i = 1, this%n(2)
            d = max(d, abs(this%a(ig,i,j,k)))
          end do
        end do
      end do
    end do
    maxdiff = d
  end function maxdiff

  ! q = emission + S phi
  subroutine scatter(this, phi, cells, sigs)
    class(field_t), intent(inout) :: this
    type(field_t), intent(in) :: phi
    type(cell_t), intent(in) :: cells(:,:,:)
    real(wp), intent(in) :: sigs(:,:,:)
    integer :: i, j, k, ig, m
    !$omp parallel do private(i,j,ig,m)
    do k = 1, this%n(4)
      do j = 1, this%n(3)
        do i = 1, this%n(2)
          m = cells(i,j,k)%mat
          do ig = 1, this%n(1)
            this%a(ig,i,j,k) = cells(i,j,k)%src(ig) + dot_product(sigs(:,ig,m), phi%a(:,i,j,k))
          end do
        end do
      end do
    end do
  end subroutine scatter

  subroutine group_sum(this, s)
    class(field_t), intent(in), target :: this
    real(wp), intent(out) :: s(0:,0:,0:)
    real(wp), pointer :: p(:,:,:)
    integer :: ig, k
    s = 0.0_wp
    do ig = 1, this%n(1)
      p => this%a(ig,:,:,:)
      do k = 1, this%n(4)
        s(1:this%n(2),1:this%n(3),k) = s(1:this%n(2),1:this%n(3),k) + p(:,:,k)
      end do
    end do
  end subroutine group_sum

  subroutine clip(this)
    class(field_t), intent(inout) :: this
    integer :: k
    !$omp parallel do
    do k = 1, this%n(4)
      this%a(:,:,:,k) = limit(this%a(:,:,:,k))
    end do
  end subroutine clip

  ! mean over x,y of each group and plane
  subroutine plane_mean(this, pm)
    class(field_t), intent(in) :: this
    real(wp), intent(out) :: pm(:,:)           ! (group, z)
    integer :: k, i, j
    pm = 0.0_wp
    !$omp parallel do schedule(static,1) private(i,j)
    do k = 1, this%n(4)
      do j = 1, this%n(3)
        do i = 1, this%n(2)
          pm(:,k) = pm(:,k) + this%a(:,i,j,k)
        end do
      end do
    end do
    pm = pm/(this%n(2)*this%n(3))
  end subroutine plane_mean

  real(wp) function energy(this, g)
    class(field_t), intent(in) :: this
    type(grid_t), intent(in) :: g
    integer :: k
    energy = 0.0_wp
    !$omp parallel do reduction(+:energy)
    do k = 1, this%n(4)
      energy = energy + sum(this%a(:,:,:,k))*g%dx*g%dy*g%dz
    end do
  end function energy
end module field_m
