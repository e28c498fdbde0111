module steps
  use layer
  implicit none
contains
  subroutine prepare(mass, charge)
    real(8), intent(inout) :: mass, charge
    ! expect: mpi-fusable-collectives low "2 calls of MPI_Allreduce in a row"
    call total(mass)
    call total(charge)
  end subroutine prepare

  subroutine advance(mass, charge, speed, field)
    real(8), intent(inout) :: mass, charge, speed
    real(8), intent(in) :: field(:)
    real(8) :: fastest, heaviest
    integer :: code
    mass = sum(field)
    charge = sum(field**2)
    ! expect: mpi-fusable-collectives medium "2 calls of MPI_Allreduce in a row" "that of line 21"
    call total(mass)
    call total(charge)
    ! expect: mpi-fusable-collectives medium "pass 16 bytes together" "that of line 24"
    call largest(speed, fastest, code)
    call largest(mass, heaviest, code)
    if (code /= 0) stop 1
    speed = fastest / heaviest
  end subroutine advance
end module steps
