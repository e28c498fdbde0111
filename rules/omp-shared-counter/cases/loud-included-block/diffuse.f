! flags: -fopenmp
C     Scalars of common blocks that another file declares: one that all
C     threads share, and one that each has for itself.
      SUBROUTINE DIFFUSE(A, B, N, M)
      IMPLICIT NONE
      INCLUDE 'state.inc'
      INTEGER N, M, I, J
      REAL*8 A(N, M), B(N, M)
C$OMP PARALLEL DO PRIVATE(I)
      DO 20 J = 1, M
C       expect: omp-shared-counter high "set the same 'coef'"
        COEF = 1.0D0 + 0.1D0 * J
        OWN = 2.0D0 - 0.1D0 * J
        DO 10 I = 1, N
          B(I, J) = COEF * A(I, J) + OWN
 10     CONTINUE
 20   CONTINUE
      END
