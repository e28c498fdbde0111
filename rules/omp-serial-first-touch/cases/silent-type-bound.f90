! flags: -fopenmp
! A type's procedure may be the first to write, too, by a team.
module fields
  implicit none
  type :: field
    integer :: n = 0
    real(8), allocatable :: a(:, :)
  contains
    procedure :: create => make_field
    procedure :: zero
    procedure :: relax
  end type field
contains
  subroutine make_field(this, n)
    class(field), intent(inout) :: this
    integer, intent(in) :: n
    this%n = n
    allocate (this%a(n, n))
    call this%zero()
  end subroutine make_field

  subroutine zero(this)
    class(field), intent(inout) :: this
    integer :: j
    !$omp parallel do
    do j = 1, this%n
      this%a(:, j) = 0.0d0
    end do
  end subroutine zero

  subroutine relax(this)
    class(field), intent(inout) :: this
    integer :: j
    !$omp parallel do
    do j = 1, this%n
      this%a(:, j) = 0.5d0 * this%a(:, j) + 1.0d0
    end do
  end subroutine relax
end module fields

program steps
  use fields
  implicit none
  type(field) :: f
  integer :: step
  call f%create(4096)
  do step = 1, 100
    call f%relax()
  end do
  print *, sum(f%a)
end program steps
