! flags: -fopenmp
C     One label ends the loop of the first region and the one around it: the second region comes once behind all steps.
      SUBROUTINE STEP(A, B, N, STEPS)
      INTEGER N, STEPS, I, J
      DOUBLE PRECISION A(N), B(N)
      DO 10 J = 1, STEPS
!$OMP PARALLEL DO
      DO 10 I = 1, N
        A(I) = A(I) + 1.0D0
   10 CONTINUE
!$OMP PARALLEL DO
      DO 20 I = 1, N
        B(I) = B(I) + A(I)
   20 CONTINUE
      END
