C---- pressure and speed of sound
      SUBROUTINE PRIMS
      INCLUDE 'common.inc'
      INTEGER I, J, K
      DOUBLE PRECISION RI, EK, EOSP
      EXTERNAL EOSP
!$OMP PARALLEL DO PRIVATE(I,J,RI,EK)
      DO 10 K = 1, KMX
         DO 10 J = 1, NJ
            DO 10 I = 1, NI
               RI = 1.D0/Q(I,J,K,1)
               EK = 0.5D0*RI*(Q(I,J,K,2)**2+Q(I,J,K,3)**2+Q(I,J,K,4)**2)
               PR(I,J,K)  = EOSP(Q(I,J,K,5), EK)
               SND(I,J,K) = SQRT(GAM*PR(I,J,K)*RI)
 10   CONTINUE
      RETURN
      END

C---- central fluxes, all directions
      SUBROUTINE RHSIDE
      INCLUDE 'common.inc'
      INTEGER I, J, K, M
      DOUBLE PRECISION FX(IMX,NEQ), VV, DXI, DYI, DZI, GP, GM
!$OMP PARALLEL DO PRIVATE(I,J,M,FX,VV,DXI,DYI,DZI,GP,GM)
      DO 100 K = KLO, KHI
       DO 90 J = 2, NJ-1
         DO 10 I = 1, NI
            VV = Q(I,J,K,2)/Q(I,J,K,1)
            FX(I,1) = Q(I,J,K,2)
            FX(I,2) = Q(I,J,K,2)*VV + PR(I,J,K)
            FX(I,3) = Q(I,J,K,3)*VV
            FX(I,4) = Q(I,J,K,4)*VV
            FX(I,5) = (Q(I,J,K,5)+PR(I,J,K))*VV
 10      CONTINUE
         DO 30 M = 1, NEQ
            DO 20 I = 2, NI-1
               DXI = 1.D0/(X(I+1,J)-X(I-1,J))
               RHS(I,J,K,M) = -DT*(FX(I+1,M)-FX(I-1,M))*DXI
 20         CONTINUE
 30      CONTINUE
         DZI = 1.D0/(Z(K+1)-Z(K-1))
         DO 50 M = 1, NEQ
            DO 40 I = 2, NI-1
               DYI = 1.D0/(Y(I,J+1)-Y(I,J-1))
               GP = Q(I,J+1,K,M)*Q(I,J+1,K,3)/Q(I,J+1,K,1)
               GM = Q(I,J-1,K,M)*Q(I,J-1,K,3)/Q(I,J-1,K,1)
               IF (M.EQ.3) THEN
                  GP = GP + PR(I,J+1,K)
                  GM = GM + PR(I,J-1,K)
               ENDIF
               RHS(I,J,K,M) = RHS(I,J,K,M) - DT*(GP-GM)*DYI
               GP = Q(I,J,K+1,M)*Q(I,J,K+1,4)/Q(I,J,K+1,1)
               GM = Q(I,J,K-1,M)*Q(I,J,K-1,4)/Q(I,J,K-1,1)
               RHS(I,J,K,M) = RHS(I,J,K,M) - DT*(GP-GM)*DZI
 40         CONTINUE
 50      CONTINUE
 90    CONTINUE
 100  CONTINUE
      RETURN
      END

C---- artificial dissipation.  The pressure switch of a plane goes to WK
      SUBROUTINE DISSIP
      INCLUDE 'common.inc'
      INTEGER I, J, K, M, L
      DOUBLE PRECISION D2, SW
!$OMP PARALLEL DO PRIVATE(I,J,M,L,D2,SW)
      DO 100 K = KLO, KHI
C        switch in X
         DO 20 J = 2, NJ-1
            DO 10 I = 2, NI-1
               L = I + (J-1)*IMX + (K-1)*IMX*JMX
               WK(L) = ABS(PR(I+1,J,K)-2.D0*PR(I,J,K)+PR(I-1,J,K))
     &               /(PR(I+1,J,K)+2.D0*PR(I,J,K)+PR(I-1,J,K))
 10         CONTINUE
 20      CONTINUE
         DO 40 M = 1, NEQ
            DO 40 J = 2, NJ-1
               DO 40 I = 3, NI-2
                  L = I + (J-1)*IMX + (K-1)*IMX*JMX
                  SW = EPS2*MAX(WK(L),WK(L-1),WK(L+1))
                  D2 = Q(I+1,J,K,M)-2.D0*Q(I,J,K,M)+Q(I-1,J,K,M)
                  RHS(I,J,K,M) = RHS(I,J,K,M) + SW*D2
 40      CONTINUE
C        switch and dissipation in Y
         DO 70 I = 2, NI-1
            DO 50 J = 2, NJ-1
               L = I + (J-1)*IMX + (K-1)*IMX*JMX
               WK(L) = ABS(PR(I,J+1,K)-2.D0*PR(I,J,K)+PR(I,J-1,K))
     &               /(PR(I,J+1,K)+2.D0*PR(I,J,K)+PR(I,J-1,K))
 50         CONTINUE
            DO 60 M = 1, NEQ
            DO 60 J = 3, NJ-2
                  L = I + (J-1)*IMX + (K-1)*IMX*JMX
                  SW = EPS2*MAX(WK(L),WK(L-IMX),WK(L+IMX))
                  D2 = Q(I,J+1,K,M)-2.D0*Q(I,J,K,M)+Q(I,J-1,K,M)
                  RHS(I,J,K,M) = RHS(I,J,K,M) + SW*D2
 60         CONTINUE
 70      CONTINUE
 100  CONTINUE
      RETURN
      END

C---- thin layer viscous terms in Y
      SUBROUTINE VISCY
      INCLUDE 'common.inc'
      INTEGER I, J, K, M
      DOUBLE PRECISION VMU, UP, UM
      DO 40 K = KLO, KHI
         DO 30 M = 2, 4
!$OMP PARALLEL DO PRIVATE(I,VMU,UP,UM)
            DO 20 J = 2, NJ-1
               DO 10 I = 2, NI-1
                  VMU = (1.D0 + TMU(I,J,K))/REY
                  UP = (Q(I,J+1,K,M)/Q(I,J+1,K,1)
     &                 -Q(I,J,K,M)/Q(I,J,K,1))/(Y(I,J+1)-Y(I,J))
                  UM = (Q(I,J,K,M)/Q(I,J,K,1)
     &                 -Q(I,J-1,K,M)/Q(I,J-1,K,1))/(Y(I,J)-Y(I,J-1))
                  RHS(I,J,K,M) = RHS(I,J,K,M)
     &                 + 2.D0*DT*VMU*(UP-UM)/(Y(I,J+1)-Y(I,J-1))
 10            CONTINUE
 20         CONTINUE
!$OMP END PARALLEL DO
 30      CONTINUE
 40   CONTINUE
      RETURN
      END

C---- new state
      SUBROUTINE UPDATE
      INCLUDE 'common.inc'
      INTEGER I, J, K, M
!$OMP PARALLEL DO PRIVATE(I,J,M)
      DO 10 K = KLO, KHI
         DO 10 J = 2, NJ-1
            DO 10 I = 2, NI-1
               DO 10 M = 1, NEQ
                  Q(I,J,K,M) = Q(I,J,K,M) + RHS(I,J,K,M)
 10   CONTINUE
      RETURN
      END

C---- local norms
      SUBROUTINE RESID(RES, RESMX)
      INCLUDE 'common.inc'
      INCLUDE 'mpif.h'
      DOUBLE PRECISION RES, RESMX, R
      INTEGER I, J, K, IT, NT, OMP_GET_THREAD_NUM
      EXTERNAL OMP_GET_THREAD_NUM
      DO 5 IT = 0, 63
         PSUM(IT) = 0.D0
 5    CONTINUE
      RESMX = 0.D0
!$OMP PARALLEL PRIVATE(I,J,K,IT,R)
      IT = OMP_GET_THREAD_NUM()
!$OMP DO
      DO 30 K = KLO, KHI
         DO 20 J = 2, NJ-1
            DO 10 I = 2, NI-1
               R = RHS(I,J,K,1)
               PSUM(IT) = PSUM(IT) + R*R
 10         CONTINUE
 20      CONTINUE
 30   CONTINUE
!$OMP END DO NOWAIT
!$OMP DO REDUCTION(MAX:RESMX)
      DO 60 K = KLO, KHI
         DO 60 J = 2, NJ-1
            DO 60 I = 2, NI-1
               RESMX = MAX(RESMX, ABS(RHS(I,J,K,1)))
 60   CONTINUE
!$OMP END DO
!$OMP END PARALLEL
      RES = 0.D0
      DO 70 IT = 0, 63
         RES = RES + PSUM(IT)
 70   CONTINUE
      RETURN
      END
