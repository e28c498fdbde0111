! flags: -fopenmp
C     Rows of a square, in fixed form, with labels.
      SUBROUTINE SHIFT(A, B, N)
      INTEGER N, I, J
      DOUBLE PRECISION A(N, N), B(N, N)
      DO 20 J = 1, N
C     expect: omp-region-in-loop high "1 to 37 us each time" "one row of the data"
!$OMP PARALLEL DO
      DO 10 I = 1, N
        A(I, J) = B(I, J) + 1.0D0
   10 CONTINUE
   20 CONTINUE
      END
