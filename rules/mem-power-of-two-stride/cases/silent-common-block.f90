! Longer columns, and a step of planes of which there are few.
      subroutine divergence(im, jm, km)
      integer im, jm, km, i, j, k
      double precision u(520, 128), d(520, 128), w(512, 128, 6)
      common /fields/ u, d, w
      do i = 2, im - 1
! expect: mem-strided-inner-loop
        do j = 2, jm - 1
          d(i, j) = u(i + 1, j) - u(i - 1, j)
        end do
      end do
      do i = 2, im - 1
! expect: mem-strided-inner-loop
        do k = 1, km
          d(i, 1) = d(i, 1) + w(i, 1, k)
        end do
      end do
      end subroutine divergence
