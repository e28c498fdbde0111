! flags: -fopenmp
! The object that a type's procedure is called of is an argument like others.
module fields
  implicit none
  type :: field
    integer :: n = 0
    real(8), allocatable :: a(:, :)
  contains
    procedure :: create => make_field
    procedure :: relax
  end type field
contains
  subroutine make_field(this, n)
    class(field), intent(inout) :: this
    integer, intent(in) :: n
    this%n = n
    ! expect: omp-serial-first-touch "'a'" medium "line 25"
    allocate (this%a(n, n), source=0.0d0)
  end subroutine make_field

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
