! flags: -fopenmp
program main
  use bands, only: descend, calls
  implicit none
  real(8) :: c(1000), g(1000)
  c = 1
  g = 2
  call descend(c, g, 1000)
  print '(f8.3, i6)', c(5), calls
end program main
