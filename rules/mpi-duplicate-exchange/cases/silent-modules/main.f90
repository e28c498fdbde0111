! What is exchanged has changed in between, by a step, in an array of records, or as a dummy argument.
program main
  use steps
  implicit none
  type(block_t) :: b(2)
  integer :: step, m, ierr
  call MPI_Init(ierr)
  allocate(u(nx, 0:ny), v(nx, 0:ny), w(nx, 0:ny))
  u = 1.0d0
  v = 2.0d0
  w = 0.5d0
  do m = 1, 2
    b(m)%n = 32
    allocate(b(m)%state(1024, 0:32), b(m)%rate(1024, 0:32))
    b(m)%state = 1.0d0
    b(m)%rate = 0.0d0
  end do
  do step = 1, 100
    call velocity(0.1d0)
    call damp(u)
    call carry(0.1d0)
    call fill(w, nx, ny)
    call fill_blocks(b)
    do m = 1, 2
      call rates(b(m))
      call update(b(m))
    end do
    call fill_blocks(b)
    do m = 1, 2
      call update(b(m))
    end do
  end do
  print *, w(1, 1), b(1)%state(1, 1)
  call MPI_Finalize(ierr)
contains
  subroutine damp(a)
    real(8), intent(inout) :: a(nx, 0:ny)
    a(:, ny) = 0.5d0*a(:, ny)
  end subroutine damp
end program main
