! flags: -fopenmp
C     A scalar of a common block that each iteration sets for itself, and one
C     that all of them add to.
      SUBROUTINE DIFFUSE(A, B, N, M)
      IMPLICIT NONE
      INTEGER N, M, I, J
      REAL*8 A(N, M), B(N, M)
      REAL*8 COEF, TOTAL
      COMMON /PHYS/ COEF, TOTAL
C$OMP PARALLEL DO PRIVATE(I)
      DO 20 J = 1, M
C       expect: omp-shared-counter high "set the same 'coef'"
        COEF = 1.0D0 + 0.1D0 * J
        DO 10 I = 1, N
          B(I, J) = COEF * A(I, J)
 10     CONTINUE
 20   CONTINUE
C$OMP PARALLEL DO PRIVATE(I)
      DO 40 J = 1, M
        DO 30 I = 1, N
C         expect: omp-shared-counter high "update the same 'total'"
          TOTAL = TOTAL + B(I, J)
 30     CONTINUE
 40   CONTINUE
      END
