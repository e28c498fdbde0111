! three-dimensional transforms: x and y locally, then a global transposition
module transpose_mod
  use kinds
  use mpi
  use fft_mod
  use field_mod
  implicit none
  type(plan_t), save :: pl
  complex(dp), allocatable, save :: sb(:,:,:,:), rb(:,:,:,:)
  real(dp), save :: t_comm = 0.0_dp
contains

  subroutine transpose_create(d)
    type(dom_t), intent(in) :: d
    call plan_create(pl, d%n)
    allocate(sb(d%nzl, d%n, d%nyl, d%np), rb(d%nzl, d%n, d%nyl, d%np))
  end subroutine transpose_create

  subroutine fft_x(a, d, sgn)
    type(dom_t), intent(in) :: d
    complex(dp), intent(inout) :: a(:,:,:)
    integer, intent(in) :: sgn
    integer :: j, k
    !$omp parallel do private(j) schedule(static)
    do k = 1, d%nzl
       do j = 1, d%n
          call fft_line(pl, a(:, j, k), sgn)
       end do
    end do
  end subroutine fft_x

  subroutine fft_y(a, d, sgn)
    type(dom_t), intent(in) :: d
    complex(dp), intent(inout) :: a(:,:,:)
    integer, intent(in) :: sgn
    complex(dp) :: line(d%n)
    integer :: i, j, k
    !$omp parallel do private(i, j, line)
    do k = 1, d%nzl
       do i = 1, d%n
          do j = 1, d%n
             line(j) = a(i, j, k)
          end do
          call fft_line(pl, line, sgn)
          do j = 1, d%n
             a(i, j, k) = line(j)
          end do
       end do
    end do
  end subroutine fft_y

  ! (x,y,z local) -> (z,x,y local)
  subroutine to_spec(a, b, d)
    type(dom_t), intent(in) :: d
    complex(dp), intent(inout) :: a(:,:,:), b(:,:,:)
    integer :: i, j, k, p, ierr, req
    real(dp) :: t0
    call fft_x(a, d, 1)
    call fft_y(a, d, 1)
    do p = 1, d%np
       !$omp parallel do private(i, k)
       do j = 1, d%nyl
          do i = 1, d%n
             do k = 1, d%nzl
                sb(k, i, j, p) = a(i, (p - 1)*d%nyl + j, k)
             end do
          end do
       end do
    end do
    t0 = MPI_Wtime()
    call MPI_Barrier(d%comm, ierr)
    call MPI_Ialltoall(sb, d%nzl*d%n*d%nyl, MPI_DOUBLE_COMPLEX, rb, d%nzl*d%n*d%nyl, MPI_DOUBLE_COMPLEX, d%comm, req, ierr)
    call MPI_Wait(req, MPI_STATUS_IGNORE, ierr)
    t_comm = t_comm + MPI_Wtime() - t0
    !$omp parallel do private(i, j, k)
    do p = 1, d%np
       do j = 1, d%nyl
          do i = 1, d%n
             do k = 1, d%nzl
                b((p - 1)*d%nzl + k, i, j) = rb(k, i, j, p)
             end do
          end do
       end do
    end do
    !$omp parallel do private(i)
    do j = 1, d%nyl
       do i = 1, d%n
          call fft_line(pl, b(:, i, j), 1)
       end do
    end do
  end subroutine to_spec

  ! back; pairwise exchange, works in place of the all-to-all
  subroutine to_phys(b, a, d)
    type(dom_t), intent(in) :: d
    complex(dp), intent(inout) :: a(:,:,:), b(:,:,:)
    integer :: i, j, k, p, q, nw, ierr, st(MPI_STATUS_SIZE), i0
    integer, parameter :: nb = 8
    real(dp) :: scal, t0
    scal = 1.0_dp/real(d%n, dp)**3
    !$omp parallel do private(i)
    do j = 1, d%nyl
       do i = 1, d%n
          call fft_line(pl, b(:, i, j), -1)
       end do
    end do
    !$omp parallel do private(i, j, k)
    do p = 1, d%np
       do j = 1, d%nyl
          do i = 1, d%n
             do k = 1, d%nzl
                sb(k, i, j, p) = b((p - 1)*d%nzl + k, i, j)
             end do
          end do
       end do
    end do
    nw = d%nzl*d%n*d%nyl
    t0 = MPI_Wtime()
    rb(:, :, :, d%me + 1) = sb(:, :, :, d%me + 1)
    do p = 0, d%np - 1
       if (p == d%me) cycle
       if (p < d%me) then
          call MPI_Recv(rb(:, :, :, p + 1), nw, MPI_DOUBLE_COMPLEX, p, 7, d%comm, st, ierr)
          call MPI_Send(sb(:, :, :, p + 1), nw, MPI_DOUBLE_COMPLEX, p, 7, d%comm, ierr)
       else
          call MPI_Send(sb(:, :, :, p + 1), nw, MPI_DOUBLE_COMPLEX, p, 7, d%comm, ierr)
          call MPI_Recv(rb(:, :, :, p + 1), nw, MPI_DOUBLE_COMPLEX, p, 7, d%comm, st, ierr)
       end if
    end do
    t_comm = t_comm + MPI_Wtime() - t0
    do q = 1, d%np
       !$omp parallel do private(i, k, i0)
       do j = 1, d%nyl
          do i0 = 1, d%n, nb
             do k = 1, d%nzl
                do i = i0, min(d%n, i0 + nb - 1)
                   a(i, (q - 1)*d%nyl + j, k) = scal*rb(k, i, j, q)
                end do
             end do
          end do
       end do
    end do
    call fft_y(a, d, -1)
    call fft_x(a, d, -1)
  end subroutine to_phys
end module transpose_mod
