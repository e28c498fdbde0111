! Heat in a block of 20 slices: three planes of 2 MiB each are gone before the sweep comes back to them.
module heat
  implicit none
  integer, parameter :: columns = 512, rows = 512, slices = 20
  real(8) :: now(columns, rows, slices), next(columns, rows, slices)
contains
  subroutine advance()
    integer :: x, y, z

    ! expect: mem-unblocked-stencil high "after 7.9 MiB of other data" "planes"
    do z = 2, slices - 1
      do y = 2, rows - 1
        do x = 2, columns - 1
          next(x, y, z) = 0.5d0 * now(x, y, z) + 0.0833d0 * (now(x, y, z - 1) + now(x, y, z + 1) + now(x, y - 1, z) &
            + now(x, y + 1, z) + now(x - 1, y, z) + now(x + 1, y, z))
        end do
      end do
    end do
  end subroutine advance
end module heat

program block
  use heat
  implicit none
  integer :: x, y, z

  do z = 1, slices
    do y = 1, rows
      do x = 1, columns
        now(x, y, z) = mod(x + 3 * y + 7 * z, 32)
      end do
    end do
  end do
  call advance()
  print '(f10.6)', next(300, 200, 9)
end program block
