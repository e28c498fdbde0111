C     Reference BLAS, only what is needed where no vendor library is
      SUBROUTINE DGEMM(TRANSA,TRANSB,M,N,K,ALPHA,A,LDA,B,LDB,BETA,
     $                 C,LDC)
      CHARACTER*1 TRANSA,TRANSB
      INTEGER M,N,K,LDA,LDB,LDC,I,J,L
      DOUBLE PRECISION ALPHA,BETA,A(LDA,*),B(LDB,*),C(LDC,*),T
      LOGICAL TA,TB
      TA = TRANSA.EQ.'T' .OR. TRANSA.EQ.'t'
      TB = TRANSB.EQ.'T' .OR. TRANSB.EQ.'t'
      DO 90 J = 1,N
         DO 10 I = 1,M
            C(I,J) = BETA*C(I,J)
   10    CONTINUE
         IF (TA) THEN
            DO 30 I = 1,M
               T = 0.D0
               DO 20 L = 1,K
                  IF (TB) T = T + A(L,I)*B(J,L)
                  IF (.NOT.TB) T = T + A(L,I)*B(L,J)
   20          CONTINUE
               C(I,J) = C(I,J) + ALPHA*T
   30       CONTINUE
         ELSE
            DO 50 L = 1,K
               IF (TB) T = ALPHA*B(J,L)
               IF (.NOT.TB) T = ALPHA*B(L,J)
               DO 40 I = 1,M
                  C(I,J) = C(I,J) + T*A(I,L)
   40          CONTINUE
   50       CONTINUE
         END IF
   90 CONTINUE
      RETURN
      END

      SUBROUTINE DAXPY(N,DA,DX,INCX,DY,INCY)
      INTEGER N,INCX,INCY,I,IX,IY
      DOUBLE PRECISION DA,DX(*),DY(*)
      IX = 1
      IY = 1
      DO 10 I = 1,N
         DY(IY) = DY(IY) + DA*DX(IX)
         IX = IX + INCX
         IY = IY + INCY
   10 CONTINUE
      RETURN
      END

      DOUBLE PRECISION FUNCTION DDOT(N,DX,INCX,DY,INCY)
      INTEGER N,INCX,INCY,I
      DOUBLE PRECISION DX(*),DY(*)
      DDOT = 0.D0
      IF (INCX.EQ.1 .AND. INCY.EQ.1) THEN
         DO 10 I = 1,N
            DDOT = DDOT + DX(I)*DY(I)
   10    CONTINUE
      ELSE
         DO 20 I = 1,N
            DDOT = DDOT + DX(1+(I-1)*INCX)*DY(1+(I-1)*INCY)
   20    CONTINUE
      END IF
      RETURN
      END
