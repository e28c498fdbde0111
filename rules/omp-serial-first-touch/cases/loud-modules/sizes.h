      integer, parameter :: levels = 4000
      real(8) :: column(levels, levels)
      common /columns/ column
