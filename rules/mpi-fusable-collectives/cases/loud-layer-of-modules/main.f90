program main
  use mpi
  use steps
  implicit none
  real(8) :: mass, charge, speed, field(100)
  integer :: step, ierr
  call MPI_Init(ierr)
  field = 1.0d0
  mass = 1.0d0
  charge = 2.0d0
  speed = 3.0d0
  call prepare(mass, charge)
  do step = 1, 100
    call advance(mass, charge, speed, field)
  end do
  print *, mass, charge, speed
  call MPI_Finalize(ierr)
end program main
