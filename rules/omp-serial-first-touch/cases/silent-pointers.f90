! flags: -fopenmp
! The team writes first what another name stands for; a thread of a team starts no team of its own.
module grids
  implicit none
  type grid
    real(8), pointer :: now(:, :), next(:, :)
  end type grid
contains
  subroutine start(g, n)
    type(grid), intent(inout) :: g
    integer, intent(in) :: n
    real(8), pointer :: all(:, :)
    real(8), allocatable, target, save :: room(:, :)
    integer :: i, j
    allocate(room(n, n))
    all => room
    !$omp parallel do private(i)
    do j = 1, n
      do i = 1, n
        all(i, j) = 0.0d0
      end do
    end do
    !$omp end parallel do
    room = 1.0d0
    g%now => room
    call relax(room, n)
  end subroutine start

  subroutine relax(heat, n)
    integer, intent(in) :: n
    real(8), intent(inout) :: heat(n, n)
    integer :: i, j, step
    do step = 1, 10
      !$omp parallel do private(i)
      do j = 1, n
        do i = 1, n
          heat(i, j) = 0.5d0 * heat(i, j)
        end do
      end do
      !$omp end parallel do
    end do
  end subroutine relax

  subroutine groups(n, count)
    integer, intent(in) :: n, count
    real(8), allocatable :: heat(:, :)
    integer :: g
    allocate(heat(n, n))
    heat = 1.0d0
    !$omp parallel
    do g = 1, count
      call relax(heat, n)
    end do
    !$omp end parallel
  end subroutine groups
end module grids
