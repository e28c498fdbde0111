! flags: -fopenmp
module sender
  implicit none
  interface
    subroutine pack_upper(plane, buffer, low, high, top, depth)
      integer, intent(in) :: low, high, top, depth
      real(8), intent(in) :: plane(-1:, -1:)
      real(8), intent(inout) :: buffer(:)
    end subroutine pack_upper
    subroutine pack_left(plane, buffer, low, high, first, depth)
      integer, intent(in) :: low, high, first, depth
      real(8), intent(in) :: plane(-1:, -1:)
      real(8), intent(inout) :: buffer(:)
    end subroutine pack_left
  end interface
contains
  subroutine pack(plane, buffer)
    real(8), intent(in) :: plane(-1:, -1:)
    real(8), intent(inout) :: buffer(:)
    call pack_upper(plane, buffer, 1, 100, 100, 2)
    call pack_left(plane, buffer, 1, 100, 1, 2)
  end subroutine pack
end module sender
