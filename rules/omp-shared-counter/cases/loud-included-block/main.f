! flags: -fopenmp
      PROGRAM MAIN
      IMPLICIT NONE
      REAL*8 A(8, 8), B(8, 8)
      A = 1.0D0
      B = 0.0D0
      CALL DIFFUSE(A, B, 8, 8)
      PRINT *, SIZE(B)
      END
