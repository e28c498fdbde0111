C     IMPLICIT VERTICAL FRICTION ON U, STRAIGHT FROM THE LAYERED ARRAYS
      SUBROUTINE VMIXU
      INCLUDE 'ocean.inc'
      INTEGER I, J, K
      REAL*8 C(KMX), D(KMX), A, B
      A = 1.0D-4*DT
C$OMP PARALLEL DO PRIVATE(I,K,B,C,D)
      DO 40 J = 1, JM
         DO 30 I = 1, IM
            B = 1.0D0 + A
            C(1) = -A/B
            D(1) = U(I,J,1)/B
            DO 10 K = 2, KM
               B = 1.0D0 + 2.0D0*A + A*C(K-1)
               C(K) = -A/B
               D(K) = (U(I,J,K) + A*D(K-1))/B
   10       CONTINUE
            U(I,J,KM) = D(KM)
            DO 20 K = KM - 1, 1, -1
               U(I,J,K) = D(K) - C(K)*U(I,J,K+1)
   20       CONTINUE
   30    CONTINUE
   40 CONTINUE
      RETURN
      END

C     SAME FOR V, I INSIDE
      SUBROUTINE VMIXV
      INCLUDE 'ocean.inc'
      INTEGER I, J, K
      REAL*8 C(IMX,KMX), D(IMX,KMX), A, B
      A = 1.0D-4*DT
C$OMP PARALLEL DO PRIVATE(I,K,B,C,D)
      DO 60 J = 1, JM
         DO 10 I = 1, IM
            C(I,1) = -A/(1.0D0 + A)
            D(I,1) = V(I,J,1)/(1.0D0 + A)
   10    CONTINUE
         DO 30 K = 2, KM
            DO 20 I = 1, IM
               B = 1.0D0 + 2.0D0*A + A*C(I,K-1)
               C(I,K) = -A/B
               D(I,K) = (V(I,J,K) + A*D(I,K-1))/B
   20       CONTINUE
   30    CONTINUE
         DO 35 I = 1, IM
   35    V(I,J,KM) = D(I,KM)
         DO 50 K = KM - 1, 1, -1
            DO 40 I = 1, IM
               V(I,J,K) = D(I,K) - C(I,K)*V(I,J,K+1)
   40       CONTINUE
   50    CONTINUE
   60 CONTINUE
      RETURN
      END

C     CONVECTIVE ADJUSTMENT IN COLUMN STORAGE
      SUBROUTINE CONVEC
      INCLUDE 'ocean.inc'
      INTEGER I, J, K, IT
      REAL*8 M
C     TO COLUMN ORDER
C$OMP PARALLEL DO PRIVATE(I,K)
      DO 30 J = 1, JM
         DO 20 K = 1, KM
            DO 10 I = 1, IM
               COL(K,I,J) = H(I,J,K)
   10       CONTINUE
   20    CONTINUE
   30 CONTINUE
C$OMP PARALLEL DO PRIVATE(I,K,IT,M) SCHEDULE(DYNAMIC,2)
      DO 70 J = 1, JM
         DO 60 I = 1, IM
            DO 50 IT = 1, KM
               DO 40 K = 1, KM - 1
                  IF (COL(K,I,J) .GT. COL(K+1,I,J)) THEN
                     M = 0.5D0*(COL(K,I,J) + COL(K+1,I,J))
                     COL(K,I,J) = M
                     COL(K+1,I,J) = M
                  ENDIF
   40          CONTINUE
   50       CONTINUE
   60    CONTINUE
   70 CONTINUE
C$OMP PARALLEL DO PRIVATE(I,J)
      DO 100 K = 1, KM
         DO 90 I = 1, IM
            DO 80 J = 1, JM
               H(I,J,K) = COL(K,I,J)
   80       CONTINUE
   90    CONTINUE
  100 CONTINUE
      RETURN
      END
