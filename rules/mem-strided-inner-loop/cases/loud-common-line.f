C     Sweeps along the second index with a line of fluxes, all of it in one common block. The components are written one
C     by one and read in a loop; where the line is read begins at a number that another file sets.
      subroutine sweep(n)
      integer n, i, j, k, m
      double precision u(5,64,64,64), r(5,64,64,64), flux(5,64), speed
      common /fields/ u, r, flux
      integer first, last
      common /bounds/ first, last
      do k = 2, n - 1
        do i = 2, n - 1
C expect: mem-strided-inner-loop medium "2560 bytes" "40 bytes" "arrays that are filled anew for each 'i' get a dimension more, provided that all that is read of them was filled before"
          do j = 1, n
            speed = u(3,i,j,k) / u(1,i,j,k)
            flux(1,j) = u(3,i,j,k)
            flux(2,j) = u(2,i,j,k) * speed
            flux(3,j) = u(3,i,j,k) * speed
            flux(4,j) = u(4,i,j,k) * speed
            flux(5,j) = u(5,i,j,k) * speed
          end do
C expect: mem-strided-inner-loop medium "2560 bytes" "40 bytes"
          do j = first, last
            do m = 1, 5
              r(m,i,j,k) = r(m,i,j,k) - flux(m,j+1) + flux(m,j-1)
            end do
          end do
        end do
      end do
      end
