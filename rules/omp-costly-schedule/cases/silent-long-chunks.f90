! flags: -fopenmp
! Chunks of long work, few iterations, a chunk known at run time only, a schedule chosen outside the program, guided
! loops of unknown or great length, ordered loops, uneven iterations, unknown calls, devices.
module loops
  implicit none
  real(8) :: a(512, 512), b(512, 512), c(512, 512), values(4000000)
contains
  subroutine product()
    integer :: i, j, k
    !$omp parallel do schedule(dynamic) private(i, k)
    do j = 1, 512
      do k = 1, 512
        do i = 1, 512
          c(i, j) = c(i, j) + 1.0d0 / (a(i, k) + b(k, j))
        end do
      end do
    end do
  end subroutine product

  subroutine various(v, n, chunk)
    integer, intent(in) :: n, chunk
    real(8), intent(inout) :: v(n)
    integer :: i
    external :: work
    !$omp parallel do schedule(dynamic, chunk)
    do i = 1, n
      v(i) = v(i) + 1.0d0
    end do
    call work(v)
    !$omp parallel do schedule(runtime)
    do i = 1, n
      v(i) = v(i) + 1.0d0
    end do
    call work(v)
    !$omp parallel do schedule(dynamic, 2048)
    do i = 1, n
      v(i) = v(i) + 1.0d0
    end do
    call work(v)
    !$omp parallel do schedule(guided)
    do i = 1, n
      v(i) = v(i) + 1.0d0
    end do
    call work(v)
    !$omp parallel do schedule(guided)
    do i = 1, 4000000
      values(i) = 0.5d0 * values(i)
    end do
    call work(v)
    !$omp parallel do schedule(dynamic) ordered
    do i = 1, n
      v(i) = v(i) + 1.0d0
    end do
    call work(v)
    !$omp parallel do schedule(dynamic)
    do i = 1, n
      if (v(i) > 0.0d0) call work(v(i))
    end do
    call work(v)
    !$omp target teams distribute parallel do schedule(dynamic)
    do i = 1, n
      v(i) = v(i) + 1.0d0
    end do
  end subroutine various

  subroutine few(v)
    real(8), intent(inout) :: v(60)
    integer :: i
    !$omp parallel do schedule(dynamic)
    do i = 1, 60
      v(i) = exp(sin(exp(sin(exp(sin(exp(sin(v(i))))))))) + exp(sin(exp(sin(exp(sin(exp(sin(2 * v(i)))))))))
    end do
  end subroutine few
end module loops
