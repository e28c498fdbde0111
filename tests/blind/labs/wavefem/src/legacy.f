C     ------------------------------------------------------------------
C     ATTEN, QFILT and friends. From the 1996 code, R. H.; last changed
C     by MB 2004 (double precision), TK 2009 (OpenMP).
C     ------------------------------------------------------------------
      SUBROUTINE QINIT(F0, DT)
      IMPLICIT NONE
      REAL*8 F0, DT
      INTEGER I, J
      REAL*8 QTAB, WRK, QA
      COMMON /QWORK/ QTAB(1024,8), WRK(512,512), QA
      QA = EXP(-2.0D0*3.14159265D0*F0*DT)
      DO 20 I = 1, 1024
        DO 10 J = 1, 8
          QTAB(I,J) = 1.0D0 - EXP(-DBLE(I)*DT*F0*J)/DBLE(50+I)
   10   CONTINUE
   20 CONTINUE
      DO 40 J = 1, 512
        DO 30 I = 1, 512
          WRK(I,J) = 0.0D0
   30   CONTINUE
   40 CONTINUE
      RETURN
      END

C     Factor of the Q model for a cell, second index is the mechanism
      REAL*8 FUNCTION QFAC(Q)
      IMPLICIT NONE
      REAL*8 Q
      INTEGER I, M
      REAL*8 QTAB, WRK, QA
      COMMON /QWORK/ QTAB(1024,8), WRK(512,512), QA
      I = MIN(1024, MAX(1, INT(Q)))
      QFAC = 1.0D0
      DO 10 M = 1, 8
        QFAC = QFAC*QTAB(I,M)
   10 CONTINUE
      RETURN
      END

C     Harmonic mean of four shear moduli
      REAL*8 FUNCTION HARM4(A, B, C, D)
      IMPLICIT NONE
      REAL*8 A, B, C, D
      HARM4 = 4.0D0/(1.0D0/A + 1.0D0/B + 1.0D0/C + 1.0D0/D)
      RETURN
      END

C     Scale a stress by the depth dependent attenuation
      SUBROUTINE ATTEN(S, FAC, NX, NY, NZ)
      IMPLICIT NONE
      INTEGER NX, NY, NZ, I, J, K
      REAL*8 S(-1:NX+2,-1:NY+2,-1:NZ+2), FAC(NZ)
C$OMP PARALLEL DO PRIVATE(I,K)
      DO 30 J = 1, NY
        DO 20 I = 1, NX
          DO 10 K = 1, NZ
            S(I,J,K) = S(I,J,K)*FAC(K)
   10     CONTINUE
   20   CONTINUE
   30 CONTINUE
      RETURN
      END

C     Recursive low pass of the surface velocity along y, kept in WRK
      SUBROUTINE QFILT(V, NX, NY, LDX)
      IMPLICIT NONE
      INTEGER NX, NY, LDX, I, J
      REAL*8 V(LDX,*), ACC
      REAL*8 QTAB, WRK, QA
      COMMON /QWORK/ QTAB(1024,8), WRK(512,512), QA
      DO 20 I = 1, NX
        ACC = 0.0D0
        DO 10 J = 1, NY
          ACC = QA*ACC + (1.0D0-QA)*V(I,J)
          WRK(I,J) = 0.95D0*WRK(I,J) + 0.05D0*ACC
   10   CONTINUE
   20 CONTINUE
      RETURN
      END

C     Ricker wavelet
      REAL*8 FUNCTION RICKER(T, F0)
      IMPLICIT NONE
      REAL*8 T, F0, A
      A = (3.14159265D0*F0*T)**2
      RICKER = (1.0D0 - 2.0D0*A)*EXP(-A)
      RETURN
      END
