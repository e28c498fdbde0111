C     Members of a common block, of which the run uses as many rows as it needs; they stand in an included file.
      SUBROUTINE DIVERG(IM, JM)
      INTEGER IM, JM, I, J
      INCLUDE 'fields.inc'
      DO 20 I = 2, IM - 1
! expect: mem-power-of-two-stride medium "the up to 128 lines of 'u'" "520 elements instead of 512"
! expect: mem-strided-inner-loop
      DO 10 J = 2, JM - 1
         D(I,J) = U(I+1,J) - U(I-1,J)
   10 CONTINUE
   20 CONTINUE
      END
