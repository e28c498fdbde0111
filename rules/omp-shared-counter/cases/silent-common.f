! flags: -fopenmp
C     Scalars of a common block that each thread has for itself, that the
C     construct makes private, or that one thread sets for all.
      SUBROUTINE DIFFUSE(A, B, N, M)
      IMPLICIT NONE
      INTEGER N, M, I, J
      REAL*8 A(N, M), B(N, M)
      REAL*8 COEF, OTHER, WEIGHT
      COMMON /LOCAL/ COEF
      COMMON /PHYS/ OTHER, WEIGHT
C$OMP THREADPRIVATE(/LOCAL/)
C$OMP PARALLEL DO PRIVATE(I, OTHER)
      DO 20 J = 1, M
        COEF = 1.0D0 + 0.1D0 * J
        OTHER = 2.0D0 - 0.1D0 * J
        DO 10 I = 1, N
          B(I, J) = COEF * A(I, J) + OTHER
 10     CONTINUE
 20   CONTINUE
C$OMP PARALLEL PRIVATE(I)
C$OMP SINGLE
      WEIGHT = 0.5D0
C$OMP END SINGLE
C$OMP DO
      DO 40 J = 1, M
        DO 30 I = 1, N
          B(I, J) = WEIGHT * B(I, J)
 30     CONTINUE
 40   CONTINUE
C$OMP END PARALLEL
      END
