C     The line is the first plane of the field under another name: what is written there is read as the field.
      subroutine joined(n)
      integer n, i, j, k
      double precision u(64,64,64), r(64,64,64), line(64), other(262144)
      common /fields/ u, r, line
      equivalence (u, other)
      do k = 2, n - 1
        do i = 2, n - 1
          do j = 1, n
            line(j) = u(i,j,k)
          end do
          do j = 2, n - 1
            other(j) = line(j+1) - line(j-1)
            r(i,j,k) = other(j)
          end do
        end do
      end do
      end
