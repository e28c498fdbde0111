C     A tridiagonal system along each line: coefficients and right side are gathered, solved in place and written back.
      subroutine solve(n)
      integer n, i, j, k
      double precision q(64,64,64), r(64,64,64), a(64), f(64), by
      common /fields/ q, r
      do k = 2, n - 1
        do i = 2, n - 1
C expect: mem-strided-inner-loop medium "512 bytes" "8 bytes" "arrays that are filled anew for each 'i' get a dimension more, provided that all that is read of them was filled before"
          do j = 1, n
            a(j) = 0.5d0 * q(i,j,k)
            f(j) = r(i,j,k)
          end do
          f(1) = f(1) / (1.0d0 + a(1))
          do j = 2, n
            by = 1.0d0 / (1.0d0 - a(j) * a(j-1))
            f(j) = (f(j) - a(j) * f(j-1)) * by
          end do
C expect: mem-strided-inner-loop medium "512 bytes" "8 bytes"
          do j = 2, n - 1
            r(i,j,k) = f(j)
          end do
        end do
      end do
      end

C     What stands before the line was filled is that of the line before.
      subroutine kept(n)
      integer n, i, j, k
      double precision q(64,64,64), r(64,64,64), a(64), f(64)
      common /fields/ q, r
      do k = 2, n - 1
        do i = 2, n - 1
          a(1) = 0.5d0 * f(2)
          do j = 2, n
            f(j) = r(i,j,k) + a(1)
          end do
          do j = 2, n - 1
            r(i,j,k) = f(j) + f(j+1)
          end do
        end do
      end do
      end
