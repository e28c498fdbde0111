module kinds
  implicit none
  integer, parameter :: dp = kind(1.0d0), i1 = selected_int_kind(2)
  real(dp), parameter :: pi = 3.14159265358979323846_dp
  complex(dp), parameter :: iu = (0.0_dp, 1.0_dp)
end module kinds
