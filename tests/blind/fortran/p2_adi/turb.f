C---- equation of state, ideal gas
      DOUBLE PRECISION FUNCTION EOSP(E, EK)
      INCLUDE 'common.inc'
      DOUBLE PRECISION E, EK
      EOSP = MAX(1.D-6, (GAM-1.D0)*(E-EK))
      RETURN
      END

C---- algebraic eddy viscosity, profile by profile
      SUBROUTINE EDDY
      INCLUDE 'common.inc'
      INTEGER I, J, K, JM
      DOUBLE PRECISION OM(JMX), FMAX, YMAX, F, UTAU, YP
      DO 50 K = KLO, KHI
         DO 40 I = 1, NI
            FMAX = 0.D0
            YMAX = 0.D0
            DO 10 J = 2, NJ-1
               OM(J) = ABS((Q(I,J+1,K,2)/Q(I,J+1,K,1)
     &                  -Q(I,J-1,K,2)/Q(I,J-1,K,1))/(Y(I,J+1)-Y(I,J-1)))
 10         CONTINUE
            OM(1) = OM(2)
            UTAU = SQRT(OM(1)/REY + 1.D-12)
            DO 20 J = 2, NJ/2
               YP = (Y(I,J)-Y(I,1))*UTAU*REY
               F = (Y(I,J)-Y(I,1))*OM(J)*(1.D0-EXP(-YP/26.D0))
               IF (F .GT. FMAX) THEN
                  FMAX = F
                  JM = J
                  YMAX = Y(I,J)-Y(I,1)
               ENDIF
 20         CONTINUE
            CALL MUPROF(I, K, OM, UTAU, FMAX, YMAX)
 40      CONTINUE
 50   CONTINUE
      RETURN
      END

C---- inner and outer layer of one profile
      SUBROUTINE MUPROF(I, K, OM, UTAU, FMAX, YMAX)
      INCLUDE 'common.inc'
      INTEGER I, K, J
      DOUBLE PRECISION OM(JMX), UTAU, FMAX, YMAX, YY, DL, TI, TO
      DO 10 J = 2, NJ-1
         YY = Y(I,J)-Y(I,1)
         DL = 0.4D0*YY*(1.D0-EXP(-YY*UTAU*REY/26.D0))
         TI = Q(I,J,K,1)*DL*DL*OM(J)*REY
         TO = 0.0168D0*1.6D0*Q(I,J,K,1)*YMAX*FMAX*REY
         TMU(I,J,K) = MIN(TI, TO, 1000.D0)
 10   CONTINUE
      RETURN
      END

C---- local time step limit; one DT for all
      SUBROUTINE TSTEP
      INCLUDE 'mpif.h'
      INCLUDE 'common.inc'
      INTEGER I, J, K, IERR
      DOUBLE PRECISION DTL, DTC, S
      DTL = 1.D10
!$OMP PARALLEL DO PRIVATE(I,J) REDUCTION(MIN:DTL)
      DO 30 K = KLO, KHI
         DO 20 J = 2, NJ-1
            DO 10 I = 2, NI-1
               S   = ABS(Q(I,J,K,2)/Q(I,J,K,1)) + SND(I,J,K)
               DTC = CFL*0.5D0*(X(I+1,J)-X(I-1,J))/S
               IF (DTC .LT. DTL) DTL = DTC
 10         CONTINUE
 20      CONTINUE
 30   CONTINUE
      CALL MPI_ALLREDUCE(DTL, DT, 1, MPI_DOUBLE_PRECISION, MPI_MIN,
     &                   ICOMM, IERR)
      RETURN
      END

C---- walls, inflow, outflow
      SUBROUTINE BCOND
      INCLUDE 'common.inc'
      INTEGER I, J, K, M
!$OMP PARALLEL DO PRIVATE(I,M)
!$OMP& SCHEDULE(DYNAMIC,1)
      DO 30 K = KLO, KHI
         DO 20 I = 2, NI-1
            Q(I,1,K,1)  = Q(I,2,K,1)
            Q(I,1,K,2)  = 0.D0
            Q(I,1,K,3)  = 0.D0
            Q(I,1,K,4)  = 0.D0
            Q(I,1,K,5)  = PR(I,2,K)/(GAM-1.D0)
            Q(I,NJ,K,1) = Q(I,NJ-1,K,1)
            Q(I,NJ,K,2) = Q(I,NJ-1,K,2)
            Q(I,NJ,K,3) = 0.D0
            Q(I,NJ,K,4) = Q(I,NJ-1,K,4)
            Q(I,NJ,K,5) = Q(I,NJ-1,K,5)
 20      CONTINUE
 30   CONTINUE
      DO 60 M = 1, NEQ
         DO 50 K = KLO, KHI
            DO 40 J = 1, NJ
               Q(NI,J,K,M) = Q(NI-1,J,K,M)
 40         CONTINUE
 50      CONTINUE
 60   CONTINUE
      RETURN
      END
