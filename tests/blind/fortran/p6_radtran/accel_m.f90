! Diffusion synthetic acceleration with a few conjugate gradient steps
module accel_m
  use base_m
  use field_m
  implicit none
  private
  public :: dsa_t

  type :: dsa_t
    real(wp), allocatable :: x(:,:,:), r(:,:,:), p(:,:,:), ap(:,:,:), d(:,:,:)
    integer :: ncg = 8
  contains
    procedure :: setup
    procedure :: solve
    procedure, private :: apply
    procedure, private :: ghost
    procedure :: correct
  end type dsa_t
contains

  subroutine setup(this, g)
    class(dsa_t), intent(inout) :: this
    type(grid_t), intent(in) :: g
    integer :: k
    allocate(this%x(0:g%nx+1,0:g%ny+1,0:g%nz+1))
    allocate(this%r, this%p, this%ap, this%d, mold=this%x)
    !$omp parallel do
    do k = 0, g%nz+1
      this%x(:,:,k) = 0; this%r(:,:,k) = 0; this%p(:,:,k) = 0
      this%ap(:,:,k) = 0; this%d(:,:,k) = 0.05_wp
    end do
  end subroutine setup

  ! ghost rows in y
  subroutine ghost(this, g, a)
    class(dsa_t), intent(in) :: this
    type(grid_t), intent(in) :: g
    real(wp), intent(inout), contiguous :: a(0:,0:,0:)
    real(wp), allocatable :: s(:,:), r(:,:)
    integer :: k
    allocate(s(0:g%nx+1,0:g%nz+1), r(0:g%nx+1,0:g%nz+1))
    s = a(:,g%ny,:)
    call MPI_Sendrecv(s, size(s), MPI_DOUBLE_PRECISION, g%hi, 1, &
         r, size(r), MPI_DOUBLE_PRECISION, g%lo, 1, g%comm, MPI_STATUS_IGNORE)
    if (g%lo /= MPI_PROC_NULL) a(:,0,:) = r
    do k = 0, g%nz+1
      call MPI_Sendrecv(a(0,1,k), g%nx+2, MPI_DOUBLE_PRECISION, g%lo, 2, &
           a(0,g%ny+1,k), g%nx+2, MPI_DOUBLE_PRECISION, g%hi, 2, g%comm, MPI_STATUS_IGNORE)
    end do
  end subroutine ghost

  ! ap = A p
  subroutine apply(this, g)
    class(dsa_t), intent(inout) :: this
    type(grid_t), intent(in) :: g
    integer :: i, j, k
    real(wp) :: c
    !$omp parallel do private(i,j,c)
    do k = 1, g%nz
      do j = 1, g%ny
        do i = 1, g%nx
          c = this%d(i,j,k)/g%dx**2
          this%ap(i,j,k) = (1+6*c)*this%p(i,j,k) - c*(this%p(i-1,j,k)+this%p(i+1,j,k) &
               + this%p(i,j-1,k)+this%p(i,j+1,k)+this%p(i,j,k-1)+this%p(i,j,k+1))
        end do
      end do
    end do
  end subroutine apply

  subroutine solve(this, g, rhs)
    class(dsa_t), intent(inout) :: this
    type(grid_t), intent(in) :: g
    real(wp), intent(in) :: rhs(0:,0:,0:)
    real(wp) :: rr, rn, pap, al, be, dots(2)
    integer :: it, i, j, k
    this%x = 0
    this%r = rhs; this%p = rhs
    rr = dot(g, this%r, this%r)
    call MPI_Allreduce(MPI_IN_PLACE, rr, 1, MPI_DOUBLE_PRECISION, MPI_SUM, g%comm)
    do it = 1, this%ncg
      if (rr < 1.0e-24_wp) exit
      call this%ghost(g, this%p)
      call this%apply(g)
      pap = dot(g, this%p, this%ap)
      call MPI_Allreduce(MPI_IN_PLACE, pap, 1, MPI_DOUBLE_PRECISION, MPI_SUM, g%comm)
      al = rr/pap
      do k = 1, g%nz
        !$omp parallel do private(i)
        do j = 1, g%ny
          do i = 1, g%nx
            this%x(i,j,k) = this%x(i,j,k) + al*this%p(i,j,k)
            this%r(i,j,k) = this%r(i,j,k) - al*this%ap(i,j,k)
          end do
        end do
      end do
      rn = dot(g, this%r, this%r)
      call MPI_Allreduce(MPI_IN_PLACE, rn, 1, MPI_DOUBLE_PRECISION, MPI_SUM, g%comm)
      be = rn/rr; rr = rn
      do i = 1, g%nx
        do concurrent (j = 1:g%ny, k = 1:g%nz)
          this%p(i,j,k) = this%r(i,j,k) + be*this%p(i,j,k)
        end do
      end do
      call MPI_Barrier(g%comm)
    end do
    dots = [rr, maxval(this%x)]
    call MPI_Allreduce(MPI_IN_PLACE, dots, 2, MPI_DOUBLE_PRECISION, MPI_MAX, g%comm)
  end subroutine solve

  real(wp) function dot(g, a, b)
    type(grid_t), intent(in) :: g
    real(wp), intent(in) :: a(0:,0:,0:), b(0:,0:,0:)
    integer :: i, j, k
    dot = 0
    !$omp parallel do private(i,j) reduction(+:dot)
    do k = 1, g%nz
      do j = 1, g%ny
        do i = 1, g%nx
          dot = dot + a(i,j,k)*b(i,j,k)
        end do
      end do
    end do
  end function dot

  ! phi + correction, same for all groups
  subroutine correct(this, g, phi)
    class(dsa_t), intent(in) :: this
    type(grid_t), intent(in) :: g
    type(field_t), intent(inout) :: phi
    integer :: j, k
    do concurrent (k = 1:g%nz, j = 1:g%ny)
      block
        integer :: i
        do i = 1, g%nx
          phi%a(:,i,j,k) = phi%a(:,i,j,k) + 1.0e-3_wp*this%x(i,j,k)
        end do
      end block
    end do
  end subroutine correct
end module accel_m
