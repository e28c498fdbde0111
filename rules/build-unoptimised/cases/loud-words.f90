! Nothing is computed in loops of its own: this program reads and writes words.
! flags: -O0
! expect: build-unoptimised low
program words
  implicit none
  character(80) :: line
  integer :: status, i
  do i = 1, 3
    read(*, '(a)', iostat=status) line
    if (status /= 0) exit
    print '(a)', trim(line)
  end do
end program words
