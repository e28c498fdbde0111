C     LINALG77 - dense helpers kept from the 1992 version (fixed form)
C     C = A*B, square, column oriented
      SUBROUTINE MATMLT(A, LDA, B, LDB, C, LDC, N)
      IMPLICIT DOUBLE PRECISION (A-H,O-Z)
      DIMENSION A(LDA,*), B(LDB,*), C(LDC,*)
C$OMP PARALLEL DO PRIVATE(I,K,T) IF(N.GT.64)
      DO 30 J = 1, N
         DO 10 I = 1, N
   10    C(I,J) = 0.0D0
         DO 20 K = 1, N
            T = B(K,J)
            DO 15 I = 1, N
   15       C(I,J) = C(I,J) + A(I,K)*T
   20    CONTINUE
   30 CONTINUE
      RETURN
      END
C     Cyclic Jacobi on a symmetric matrix. Eigenvalues ascending in EV,
      SUBROUTINE JACOBI(AIN, LD, N, EV, VEC)
      IMPLICIT DOUBLE PRECISION (A-H,O-Z)
      PARAMETER (MAXBF=1024, MAXSW=40)
      DIMENSION AIN(LD,*), EV(*), VEC(LD,*)
      COMMON /JWORK/ A(MAXBF,MAXBF), V(MAXBF,MAXBF)
      IF (N .GT. MAXBF) STOP 'JACOBI: MAXBF'
      DO 11 J = 1, N
      DO 11 I = 1, N
         V(I,J) = 0.0D0
         IF (I.EQ.J) V(I,J) = 1.0D0
   11 A(I,J) = AIN(I,J)
      DO 90 ISW = 1, MAXSW
         OFF = 0.0D0
         DO 21 J = 2, N
         DO 21 I = 1, J-1
   21    OFF = OFF + A(I,J)*A(I,J)
         IF (OFF .LT. 1.0D-22) GOTO 95
         DO 70 IP = 1, N-1
            DO 70 IQ = IP+1, N
               IF (DABS(A(IP,IQ)) .LT. 1.0D-14) GOTO 70
               TH = 0.5D0*(A(IQ,IQ) - A(IP,IP))/A(IP,IQ)
               T = DSIGN(1.0D0,TH)/(DABS(TH) + DSQRT(TH*TH + 1.0D0))
               C = 1.0D0/DSQRT(T*T + 1.0D0)
               S = T*C
C$OMP PARALLEL DO PRIVATE(G,H)
               DO 40 K = 1, N
                  G = A(K,IP)
                  A(K,IP) = C*G - S*A(K,IQ)
                  A(K,IQ) = S*G + C*A(K,IQ)
                  H = V(K,IP)
                  V(K,IP) = C*H - S*V(K,IQ)
   40          V(K,IQ) = S*H + C*V(K,IQ)
               DO 50 K = 1, N
                  G = A(IP,K)
                  A(IP,K) = C*G - S*A(IQ,K)
   50          A(IQ,K) = S*G + C*A(IQ,K)
   70    CONTINUE
   90 CONTINUE
   95 DO 110 I = 1, N
      EV(I) = A(I,I)
      DO 110 J = 1, N
  110 VEC(J,I) = V(J,I)
C     straight insertion keeps the columns in order
      DO 140 I = 1, N-1
         K = I
         DO 120 J = I+1, N
  120    IF (EV(J) .LT. EV(K)) K = J
         IF (K .EQ. I) GOTO 140
         T = EV(I)
         EV(I) = EV(K)
         EV(K) = T
         DO 130 J = 1, N
            T = VEC(J,I)
            VEC(J,I) = VEC(J,K)
  130    VEC(J,K) = T
  140 CONTINUE
      RETURN
      END
C     D <- (1-AL)*D + AL*DOLD , DOLD <- D ; returns the summed change
      SUBROUTINE DAMPD(D, DOLD, LD, N, AL, CHG)
      IMPLICIT DOUBLE PRECISION (A-H,O-Z)
      DIMENSION D(LD,*), DOLD(LD,*)
      CHG = 0.0D0
      DO 20 I = 1, N
      DO 20 J = 1, N
         T = D(I,J) - DOLD(I,J)
         CHG = CHG + T*T
         D(I,J) = D(I,J) - AL*T
   20 DOLD(I,J) = D(I,J)
      RETURN
      END
C     quartet statistics
      SUBROUTINE CNTQ(K)
      COMMON /QSTAT/ NQ, NCALL
      NQ = NQ + K
      RETURN
      END
      SUBROUTINE GETQ(K)
      COMMON /QSTAT/ NQ, NCALL
      K = NQ
      NCALL = NCALL + 1
      RETURN
      END
