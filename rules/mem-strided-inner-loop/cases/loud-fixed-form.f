C     Fixed form, labels that several loops share, continued lines.
      subroutine smooth(a, b, n, m)
      integer n, m, i, j
      double precision a(n, m), b(n, m)
      do 20 i = 2, n - 1
C expect: mem-strided-inner-loop medium "a whole column" "8 bytes"
        do 20 j = 2, m - 1
          a(i, j) = 0.5d0 * b(i, j)
     &            + 0.5d0 * b(i, j - 1)
   20 continue
      end
