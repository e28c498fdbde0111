! flags: -fopenmp
C     A common block of each thread's own, as the included file says.
      PROGRAM MAIN
      INCLUDE 'physics.inc'
      REAL*8 T(200,200), TN(200,200)
      DX = 0.5D0
      T = 1.D0
      CALL STEP(T, TN, 200)
      PRINT '(F8.3)', TN(3,3)
      END

      SUBROUTINE STEP(T, TN, N)
      INCLUDE 'physics.inc'
      INTEGER N, I, J
      REAL*8 T(N,N), TN(N,N)
!$OMP PARALLEL DO PRIVATE(I)
      DO 10 J = 2, N-1
        COEF = DX*(1.D0 + 0.1D0*J)
        DO 10 I = 2, N-1
          TN(I,J) = T(I,J) + COEF*(T(I+1,J) + T(I-1,J) - 2.D0*T(I,J))
   10 CONTINUE
      RETURN
      END
