! flags: -fopenmp
module bands
  implicit none
  interface
    module subroutine descend(c, g, n)
      integer, intent(in) :: n
      real(8), intent(inout) :: c(n)
      real(8), intent(in) :: g(n)
    end subroutine descend
    module subroutine count_all(n)
      integer, intent(in) :: n
    end subroutine count_all
  end interface
  integer :: calls = 0
end module bands
