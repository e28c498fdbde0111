! flags: -fopenmp
subroutine exchange(fields, nx, ny, nz, number)
  use sides, only: wrap
  implicit none
  integer, intent(in) :: nx, ny, nz, number
  real(8), intent(inout) :: fields(0:nx + 1, 0:ny + 1, 0:nz + 1, number)
  integer :: one

  do one = 1, number
    call wrap(fields(0, 0, 0, one), nx, ny, nz)
  end do
end subroutine exchange

subroutine send(planes, buffer, tiles)
  use sender, only: pack
  implicit none
  integer, intent(in) :: tiles
  real(8), intent(inout) :: planes(-1:102, -1:102, tiles), buffer(4000)
  integer :: tile
  do tile = 1, tiles
    call pack(planes(:, :, tile), buffer)
  end do
end subroutine send
