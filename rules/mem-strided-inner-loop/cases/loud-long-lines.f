C In fixed form a header that would grow beyond column 72 stays where it is.
      subroutine smooth(field, source)
      integer rownumber, j
      double precision field(700, 700), source(700, 700)
      do 20 rownumber = 1, 700
C expect: mem-strided-inner-loop high no-fix
                                                   do 20 j = 1, 700
          field(rownumber, j) = 0.5d0 * source(rownumber, j)
   20 continue
      end
