! flags: -fopenmp
! Arrays of a module that other files fill and use, under names of their own.
module fields
  implicit none
  integer, parameter :: cells = 500
  real(8) :: pressure(cells, cells, 8)
  real(8), allocatable :: velocity(:, :)
  real(8), pointer :: now(:, :), next(:, :)
end module fields
