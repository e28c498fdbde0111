! For each vector of a bundle a sum over its elements, and then a call with the sum: the calls stay in their order.
subroutine products(v, r, sums, vectors, n)
  implicit none
  integer, intent(in) :: vectors, n
  real(8), intent(in) :: v(vectors, n), r(n)
  real(8), intent(out) :: sums(vectors)
  integer :: k, i
  real(8) :: s
  do k = 1, vectors
    s = 0d0
    ! expect: mem-strided-inner-loop medium "a column is longer" "and that the calls beside the inner loop" no-fix
    do i = 1, n
      s = s + v(k, i) * r(i)
    end do
    sums(k) = s
    call reduce(sums(k))
  end do
end subroutine products
