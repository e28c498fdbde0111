! What `use mpi` gives, for readers of source: the constants; procedures have no interfaces, which any call fits.
module mpi
  include 'mpif.h'
end module mpi
