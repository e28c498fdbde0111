C---- halo planes of Q
      SUBROUTINE EXCHQ
      INCLUDE 'mpif.h'
      INCLUDE 'common.inc'
      INTEGER M, J, IUP, IDN, IERR, IST(MPI_STATUS_SIZE)
      INTEGER NPL
      IUP = MYID + 1
      IDN = MYID - 1
      IF (IUP .GE. NPROC) IUP = MPI_PROC_NULL
      IF (IDN .LT. 0)     IDN = MPI_PROC_NULL
      NPL = IMX*JMX
C     upwards, line by line (buffers of the old machine were small)
      DO 20 M = 1, NEQ
         DO 10 J = 1, NJ
            CALL MPI_SENDRECV(Q(1,J,KHI,M), IMX, MPI_DOUBLE_PRECISION,
     &           IUP, 100*M+J, Q(1,J,KLO-1,M), IMX,
     &           MPI_DOUBLE_PRECISION, IDN, 100*M+J, ICOMM, IST, IERR)
 10      CONTINUE
 20   CONTINUE
C     downwards
      DO 30 M = 1, NEQ
         CALL MPI_SENDRECV(Q(1,1,KLO,M), NPL, MPI_DOUBLE_PRECISION,
     &        IDN, 900+M, Q(1,1,KHI+1,M), NPL,
     &        MPI_DOUBLE_PRECISION, IUP, 900+M, ICOMM, IST, IERR)
 30   CONTINUE
C     pressure
      CALL MPI_SENDRECV(PR(1,1,KHI), NPL, MPI_DOUBLE_PRECISION, IUP,
     &     951, PR(1,1,KLO-1), NPL, MPI_DOUBLE_PRECISION, IDN, 951,
     &     ICOMM, IST, IERR)
      CALL MPI_SENDRECV(PR(1,1,KLO), NPL, MPI_DOUBLE_PRECISION, IDN,
     &     952, PR(1,1,KHI+1), NPL, MPI_DOUBLE_PRECISION, IUP, 952,
     &     ICOMM, IST, IERR)
C     outer planes
      IF (IDN .EQ. MPI_PROC_NULL) CALL COPYPL(KLO, KLO-1)
      IF (IUP .EQ. MPI_PROC_NULL) CALL COPYPL(KHI, KHI+1)
      RETURN
      END

      SUBROUTINE COPYPL(K1, K2)
      INCLUDE 'common.inc'
      INTEGER K1, K2, I, J, M
      DO 10 M = 1, NEQ
         DO 10 J = 1, NJ
            DO 10 I = 1, NI
               Q(I,J,K2,M) = Q(I,J,K1,M)
 10   CONTINUE
      RETURN
      END

C---- history: the master collects the norms
      SUBROUTINE HIST(N, RES, RESMX)
      INCLUDE 'mpif.h'
      INCLUDE 'common.inc'
      INTEGER N, IP, IERR, IST(MPI_STATUS_SIZE)
      DOUBLE PRECISION RES, RESMX, B(2), RT, RM
      B(1) = RES
      B(2) = RESMX
      IF (MYID .NE. 0) THEN
         CALL MPI_SEND(B, 2, MPI_DOUBLE_PRECISION, 0, 77, ICOMM, IERR)
      ELSE
         RT = RES
         RM = RESMX
         DO 10 IP = 1, NPROC-1
            CALL MPI_RECV(B, 2, MPI_DOUBLE_PRECISION, IP, 77, ICOMM,
     &                    IST, IERR)
            RT = RT + B(1)
            RM = MAX(RM, B(2))
 10      CONTINUE
         WRITE(6,'(I6,2E14.6)') N, SQRT(RT), RM
      ENDIF
      RETURN
      END
