! Sums, extremes and products of sections that cross the columns, for one row after the other.
subroutine rows(field, other, nx, ny, mean, most, both)
  implicit none
  integer, intent(in) :: nx, ny
  real(8), intent(in) :: field(nx, ny), other(nx, ny)
  real(8), intent(out) :: mean(nx), most(nx), both(nx)
  integer :: i
  do i = 1, nx
    ! expect: mem-strided-inner-loop medium "over 'i' the step is 8 bytes" "make 'i' (line 8) the innermost loop: write the section as a loop"
    mean(i) = sum(field(i, 2:ny - 1)) / ny
  end do
  do i = 1, nx
    ! expect: mem-strided-inner-loop medium "over 'i' the step is 8 bytes" "make 'i' (line 12) the innermost loop: write the section as a loop"
    most(i) = maxval(field(i, :))
  end do
  do i = 1, nx
    ! expect: mem-strided-inner-loop medium "over 'i' the step is 8 bytes" "make 'i' (line 16) the innermost loop: write the section as a loop"
    both(i) = dot_product(field(i, :), other(i, :))
  end do
end subroutine rows

! Of assumed shape, which is described anew for the sum.
subroutine shapes(field, weights, mean)
  implicit none
  real(8), intent(in) :: field(:, :), weights(:, :, :)
  real(8), intent(out) :: mean(:)
  integer :: i
  do i = 1, size(mean)
    ! expect: mem-strided-inner-loop medium "over 'i' the step is 8 bytes" "what is passed for arrays of assumed shape is contiguous"
    mean(i) = sum(field(i, :)) + dot_product(weights(i, :, 1), weights(i, :, 2))
  end do
end subroutine shapes
