C=======================================================================
C     Implicit sweeps.  Scalar tridiagonals along the three directions
C     for each component of RHS, eigenvalue smoothing with SND.
C=======================================================================
      SUBROUTINE XSWEEP
      INCLUDE 'common.inc'
      INTEGER I, J, K, M
      DOUBLE PRECISION SIG
!$OMP PARALLEL DO PRIVATE(I,J,M,SIG)
      DO 50 K = KLO, KHI
         DO 40 J = 2, NJ-1
            DO 30 M = 1, NEQ
               DO 10 I = 1, NI
                  SIG = DT*(ABS(Q(I,J,K,2))+SND(I,J,K))*30.D0
                  AL(I) = -0.5D0*SIG
                  BL(I) = 1.D0 + SIG
                  CL(I) = -0.5D0*SIG
                  FL(I) = RHS(I,J,K,M)
 10            CONTINUE
               CALL TRIDL(NI)
               DO 20 I = 2, NI-1
                  RHS(I,J,K,M) = FL(I)
 20            CONTINUE
 30         CONTINUE
 40      CONTINUE
 50   CONTINUE
      RETURN
      END

C---- Thomas algorithm on the scratch line
      SUBROUTINE TRIDL(N)
      INCLUDE 'common.inc'
      INTEGER N, L
      DOUBLE PRECISION R
      CL(1) = CL(1)/BL(1)
      FL(1) = FL(1)/BL(1)
      DO 10 L = 2, N
         R = 1.D0/(BL(L)-AL(L)*CL(L-1))
         CL(L) = CL(L)*R
         FL(L) = (FL(L)-AL(L)*FL(L-1))*R
 10   CONTINUE
      DO 20 L = N-1, 1, -1
         FL(L) = FL(L) - CL(L)*FL(L+1)
 20   CONTINUE
      RETURN
      END

      SUBROUTINE YSWEEP
      INCLUDE 'common.inc'
      INTEGER I, J, K, M
      DOUBLE PRECISION SIG
!$OMP PARALLEL DO PRIVATE(I,J,M,SIG)
      DO 50 K = KLO, KHI
         DO 40 M = 1, NEQ
            DO 30 I = 2, NI-1
               DO 10 J = 1, NJ
                  SIG = DT*(ABS(Q(I,J,K,3))+SND(I,J,K))*30.D0
                  AL(J) = -0.5D0*SIG
                  BL(J) = 1.D0 + SIG
                  CL(J) = -0.5D0*SIG
                  FL(J) = RHS(I,J,K,M)
 10            CONTINUE
               CALL TRIDL(NJ)
               DO 20 J = 2, NJ-1
                  RHS(I,J,K,M) = FL(J)
 20            CONTINUE
 30         CONTINUE
 40      CONTINUE
 50   CONTINUE
      RETURN
      END

C---- Z lines stay within the task (block Jacobi between the tasks).
C     Whole rows are swept together.
      SUBROUTINE ZSWEEP
      INCLUDE 'common.inc'
      INTEGER I, J, K, M
      DOUBLE PRECISION CP(IMX,KMX), R, SIG
!$OMP PARALLEL DO PRIVATE(I,K,M,CP,R,SIG)
      DO 50 J = 2, NJ-1
         DO 40 M = 1, NEQ
            DO 10 I = 2, NI-1
               CP(I,KLO-1) = 0.D0
 10         CONTINUE
            DO 20 K = KLO, KHI
               DO 20 I = 2, NI-1
                  SIG = DT*(ABS(Q(I,J,K,4))+SND(I,J,K))*30.D0
                  R = 1.D0/(1.D0+SIG+0.5D0*SIG*CP(I,K-1))
                  CP(I,K) = -0.5D0*SIG*R
                  IF (K.GT.KLO) RHS(I,J,K,M) =
     &               (RHS(I,J,K,M)+0.5D0*SIG*RHS(I,J,K-1,M))*R
                  IF (K.EQ.KLO) RHS(I,J,K,M) = RHS(I,J,K,M)*R
 20         CONTINUE
            DO 30 K = KHI-1, KLO, -1
               DO 30 I = 2, NI-1
                  RHS(I,J,K,M) = RHS(I,J,K,M) - CP(I,K)*RHS(I,J,K+1,M)
 30         CONTINUE
 40      CONTINUE
 50   CONTINUE
      RETURN
      END
