C     Lines that keep something from one column to the next: a component that nobody writes, an element before the first.
      subroutine kept(n)
      integer n, i, j, k, m
      double precision u(5,64,64,64), r(5,64,64,64), flux(5,64)
      common /fields/ u, r, flux
      do k = 2, n - 1
        do i = 2, n - 1
          do j = 1, n
            flux(1,j) = u(3,i,j,k)
            flux(2,j) = u(2,i,j,k)
            flux(3,j) = u(3,i,j,k)
            flux(4,j) = u(4,i,j,k)
          end do
          do j = 2, n - 1
            do m = 1, 5
              r(m,i,j,k) = r(m,i,j,k) - flux(m,j+1) + flux(m,j-1)
            end do
          end do
          flux(5,1) = flux(5,2)
        end do
      end do
      end

      subroutine before(n)
      integer n, i, j, k, m
      double precision u(5,64,64,64), r(5,64,64,64), flux(5,64)
      common /fields/ u, r, flux
      do k = 2, n - 1
        do i = 2, n - 1
          do j = 2, n
            do m = 1, 5
              flux(m,j) = u(m,i,j,k)
            end do
          end do
          do j = 2, n - 1
            do m = 1, 5
              r(m,i,j,k) = r(m,i,j,k) - flux(m,j+1) + flux(m,j-1)
            end do
          end do
          flux(1,1) = r(1,i,n,k)
        end do
      end do
      end
