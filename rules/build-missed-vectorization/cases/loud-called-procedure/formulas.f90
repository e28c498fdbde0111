! Densities of another file, as procedures of no module.
function density(t, s)
  implicit none
  real(8), intent(in) :: t, s
  real(8) :: density
  density = 999.84d0 + 6.8d-2 * t - 9.1d-3 * t * t + 0.8d0 * s
end function density
