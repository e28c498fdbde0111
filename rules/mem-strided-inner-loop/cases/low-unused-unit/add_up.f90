subroutine add_up(total, field, n)
  implicit none
  integer, intent(in) :: n
  real(8), intent(out) :: total
  real(8), intent(in) :: field(n, n)
  total = sum(field)
end subroutine add_up
