      SUBROUTINE SETUP
      INCLUDE 'mpif.h'
      INCLUDE 'ocean.inc'
      INTEGER IERR, I, J, K, N, JG
      REAL*8 Y, PI
      PARAMETER (PI = 3.14159265358979D0)
      CALL MPI_COMM_RANK(ICOMM, ME, IERR)
      CALL MPI_COMM_SIZE(ICOMM, NPE, IERR)
      NORTH = ME + 1
      SOUTH = ME - 1
      IF (NORTH .GE. NPE) NORTH = MPI_PROC_NULL
      IF (SOUTH .LT. 0) SOUTH = MPI_PROC_NULL
      IM = 500
      KM = KMX
      JM = MIN(JMX - 1, 240/NPE)
      DX = 2.0D4
      DY = 2.0D4
      DT = 30.0D0
      G  = 0.8D0
      F0 = 7.0D-5
      BETA = 2.0D-11
      AH = 500.0D0
C     FIELDS OF ALL LAYERS
      DO 30 K = 1, KMX
      DO 20 J = 0, JMX
      DO 10 I = 1, IMX
         U(I,J,K) = 0.0D0
         V(I,J,K) = 0.0D0
         H(I,J,K) = 200.0D0 + 50.0D0*K
         UN(I,J,K) = 0.0D0
         VN(I,J,K) = 0.0D0
         HN(I,J,K) = H(I,J,K)
   10 CONTINUE
   20 CONTINUE
   30 CONTINUE
      DO 50 I = 1, IMX
         DO 40 J = 0, JMX
            JG = ME*JM + J
            Y = DBLE(JG)/DBLE(NPE*JM)
            TAUX(I,J) = -0.1D0*COS(2.0D0*PI*Y)
            MASK(I,J) = 1.0D0
            ETA(I,J) = 0.2D0*SIN(2.0D0*PI*I/IM)*SIN(PI*Y)
            PSI(I,J) = 0.0D0
            FLX(I,J) = 0.0D0
            WRK(I,J) = 0.0D0
            IF (ABS(I - IM/3) .LT. 20 .AND. Y .GT. 0.6D0)
     &         MASK(I,J) = 0.0D0
   40    CONTINUE
   50 CONTINUE
C$OMP PARALLEL DO PRIVATE(I,N)
      DO 80 J = 0, JMX
         DO 70 I = 1, IMX
            DO 60 N = 1, NTR
               TRC(N,I,J) = 1.0D0/N + 1.0D-3*MOD(I+J,17)
   60       CONTINUE
   70    CONTINUE
   80 CONTINUE
      RETURN
      END

C     DENSITY FROM THE FIRST TWO TRACERS
      DOUBLE PRECISION FUNCTION EQSTAT(T, S)
      REAL*8 T, S
      EQSTAT = 1000.0D0 + 0.8D0*S - 0.2D0*T - 0.005D0*T*T
      IF (T .LT. -2.0D0) EQSTAT = 1028.0D0
      RETURN
      END
