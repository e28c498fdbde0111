! Types of a module, whose arrays other files have.
module kinds
  implicit none
  ! expect: mem-struct-padding high "wastes 16 of 64 bytes" "order the components" "x, v, cell, alive, wet" no-fix
  type droplet
    logical(1) :: alive
    real(8) :: x
    logical(1) :: wet
    real(8) :: v(4)
    integer :: cell
  end type droplet

  ! Its order is that of a structure of C.
  type, bind(c) :: shared_droplet
    logical(1) :: alive
    real(8) :: x
    logical(1) :: wet
  end type shared_droplet

  ! expect: mem-struct-padding low
  type zone
    logical(1) :: void
    real(8) :: density
    logical(1) :: solid
  end type zone

  ! One of them.
  type settings
    logical(1) :: restart
    real(8) :: dt
    logical(1) :: quiet
  end type settings
  type(settings) :: all
end module kinds
