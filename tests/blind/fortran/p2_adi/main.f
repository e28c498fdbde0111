C=======================================================================
C     ADI3D - diagonalised approximate factorisation, channel with a
C     bump.  First version 1991 (Cray), tasks added 1998, OpenMP 2004.
C=======================================================================
      PROGRAM ADI3D
      INCLUDE 'mpif.h'
      INCLUDE 'common.inc'
      INTEGER IERR, N, L
      DOUBLE PRECISION RES, RESMX, T0, T1
      CALL MPI_INIT(IERR)
      ICOMM = MPI_COMM_WORLD
      CALL MPI_COMM_RANK(ICOMM, MYID, IERR)
      CALL MPI_COMM_SIZE(ICOMM, NPROC, IERR)
      CALL SETUP
      CALL GENMSH
      CALL INITQ
      CALL MPI_BARRIER(ICOMM, IERR)
      T0 = MPI_WTIME()
      DO 100 N = 1, NSTEP
         CALL PRIMS
         CALL EXCHQ
         CALL BCOND
         CALL TSTEP
         CALL EDDY
         CALL RHSIDE
         CALL DISSIP
         CALL VISCY
         CALL XSWEEP
         CALL YSWEEP
         CALL ZSWEEP
         CALL UPDATE
         CALL RESID(RES, RESMX)
         CALL HIST(N, RES, RESMX)
         CALL MPI_BARRIER(ICOMM, IERR)
 100  CONTINUE
      T1 = MPI_WTIME()
      IF (MYID .EQ. 0) WRITE(6,'(A,F9.3)') ' TIME ', T1-T0
      DO 200 L = 0, NPROC-1
         IF (L .EQ. MYID) CALL DUMP(L)
         CALL MPI_BARRIER(ICOMM, IERR)
 200  CONTINUE
      CALL MPI_FINALIZE(IERR)
      END

C---- each task appends its mid plane
      SUBROUTINE DUMP(L)
      INCLUDE 'common.inc'
      INTEGER L, I, J, KM
      KM = (KLO+KHI)/2
      OPEN(21, FILE='plane.dat', POSITION='APPEND')
      WRITE(21,*) L, NI, NJ
      DO 10 I = 1, NI, 8
         WRITE(21,'(6E12.4)') (PR(I,J,KM), J=1,NJ,8)
 10   CONTINUE
      CLOSE(21)
      RETURN
      END
