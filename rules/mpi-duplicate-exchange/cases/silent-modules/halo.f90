! Ghost rows of a field, and of the components of an array of records.
module halo
  use mpi
  implicit none
  type block_t
    integer :: n
    real(8), allocatable :: state(:, :), rate(:, :)
  end type block_t
  real(8), allocatable :: out(:), in(:)
contains
  subroutine fill(a, nx, ny)
    integer, intent(in) :: nx, ny
    real(8), intent(inout) :: a(nx, 0:ny)
    integer :: ierr
    if (.not. allocated(out)) allocate(out(nx), in(nx))
    out(:) = a(:, ny)
    call MPI_Sendrecv(out, nx, MPI_DOUBLE_PRECISION, MPI_PROC_NULL, 1, in, nx, MPI_DOUBLE_PRECISION, MPI_PROC_NULL, 1, &
                      MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
    a(:, 0) = in(:)
  end subroutine fill

  subroutine fill_blocks(b)
    type(block_t), intent(inout) :: b(:)
    integer :: m, ierr
    do m = 1, size(b)
      call MPI_Sendrecv(b(m)%state(1, b(m)%n), 1024, MPI_DOUBLE_PRECISION, MPI_PROC_NULL, 2, b(m)%state(1, 0), 1024, &
                        MPI_DOUBLE_PRECISION, MPI_PROC_NULL, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
    end do
  end subroutine fill_blocks
end module halo
