      SUBROUTINE SETUP
      INCLUDE 'common.inc'
      GAM   = 1.4D0
      CFL   = 0.4D0
      EPS2  = 0.25D0
      EPS4  = 0.02D0
      REY   = 1.0D5
      FSM   = 0.5D0
      ALPHA = 0.D0
      NI    = IMX
      NJ    = JMX
      NK    = KMX - 2
      KLO   = 2
      KHI   = NK + 1
      NSTEP = 10
      DT    = 1.D-3
      RETURN
      END

      SUBROUTINE GENMSH
      INCLUDE 'common.inc'
      INTEGER I, J, K
      DOUBLE PRECISION BUMP, S
C---- algebraic mesh; a bump on the lower wall
      DO 20 I = 1, NI
         BUMP = 0.D0
         S = 3.D0*(I-1)/DBLE(NI-1)
         IF (S.GT.1.D0 .AND. S.LT.2.D0)
     &      BUMP = 0.1D0*SIN(3.14159D0*(S-1.D0))**2
         DO 10 J = 1, NJ
            X(I,J) = S
            Y(I,J) = BUMP + (1.D0-BUMP)*((J-1)/DBLE(NJ-1))**1.3D0
 10      CONTINUE
 20   CONTINUE
      DO 30 K = 1, KMX
         Z(K) = (MYID*NK + K - 2)*0.03D0
 30   CONTINUE
      DO 50 J = 1, NJ-1
         DO 40 I = 1, NI-1
            VOL(I,J) = (X(I+1,J)-X(I,J))*(Y(I,J+1)-Y(I,J))*0.03D0
 40      CONTINUE
         VOL(NI,J) = VOL(NI-1,J)
 50   CONTINUE
      DO 60 I = 1, NI
         VOL(I,NJ) = VOL(I,NJ-1)
 60   CONTINUE
      RETURN
      END

      SUBROUTINE INITQ
      INCLUDE 'common.inc'
      INTEGER I, J, K, M
      DOUBLE PRECISION P0
      P0 = 1.D0/GAM
      DO 30 K = 1, KMX
         DO 20 J = 1, JMX
            DO 10 I = 1, IMX
               Q(I,J,K,1) = 1.D0
               Q(I,J,K,2) = FSM
               Q(I,J,K,3) = 0.D0
               Q(I,J,K,4) = 0.D0
               Q(I,J,K,5) = P0/(GAM-1.D0) + 0.5D0*FSM**2
               PR(I,J,K)  = P0
               SND(I,J,K) = 1.D0
               TMU(I,J,K) = 0.D0
 10         CONTINUE
 20      CONTINUE
 30   CONTINUE
!$OMP PARALLEL DO PRIVATE(I,J,K)
      DO 60 K = 1, KMX
         DO 60 M = 1, NEQ
            DO 60 J = 1, JMX
               DO 60 I = 1, IMX
 60   RHS(I,J,K,M) = 0.D0
      DO 70 K = 1, LMX
         AL(K) = 0.D0
 70   CONTINUE
      RETURN
      END
