! flags: -fopenmp
! Each material has an opacity of its own, which the type of the object chooses; one keeps its scratch from call to call.
module materials
  implicit none
  type, abstract :: material
    real(8) :: density = 1.0d0
  contains
    procedure(opacity_of), deferred :: opacity
  end type material
  abstract interface
    function opacity_of(this, t) result(k)
      import
      class(material), intent(in) :: this
      real(8), intent(in) :: t
      real(8) :: k
    end function opacity_of
  end interface
  type, extends(material) :: grey
  contains
    procedure :: opacity => opacity_grey
  end type grey
  type, extends(material) :: power
    real(8) :: slope = 1.5d0
  contains
    procedure :: opacity => opacity_power
  end type power
  type :: holder
    class(material), allocatable :: m
  end type holder
contains
  function opacity_grey(this, t) result(k)
    class(grey), intent(in) :: this
    real(8), intent(in) :: t
    real(8) :: k
    k = this%density * t
  end function opacity_grey

  function opacity_power(this, t) result(k)
    class(power), intent(in) :: this
    real(8), intent(in) :: t
    real(8) :: k
    real(8) :: bounded = 0.0d0
    ! expect: omp-shared-counter medium "'bounded'"
    bounded = max(t, 0.05d0)
    k = this%density * bounded**(-this%slope)
  end function opacity_power

  subroutine update(mats, which, t, kappa, n)
    integer, intent(in) :: n, which(n)
    type(holder), intent(in) :: mats(:)
    real(8), intent(in) :: t(n)
    real(8), intent(out) :: kappa(n)
    integer :: i
    !$omp parallel do
    do i = 1, n
      kappa(i) = mats(which(i))%m%opacity(t(i))
    end do
  end subroutine update
end module materials
