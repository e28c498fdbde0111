module physics
  use lattice
  implicit none
  real(8), parameter :: rate = 1.6d0 ! of relaxation
contains
  subroutine collide
    integer :: i, j, q
    real(8) :: density, u, v, along, equilibrium
    !$omp parallel do private(j, q, density, u, v, along, equilibrium)
    do i = 0, nx + 1
      ! expect: mem-strided-inner-loop medium "make 'i' (line 10) the innermost loop"
      do j = 1, ny
        if (.not. solid(i, j)) then
          density = 0d0
          u = 0d0
          v = 0d0
          do q = 0, last
            density = density + f(q, i, j)
            u = u + cx(q) * f(q, i, j)
            v = v + cy(q) * f(q, i, j)
          end do
          u = u / density
          v = v / density
          do q = 0, last
            along = 3d0 * (cx(q) * u + cy(q) * v)
            equilibrium = weight(q) * density * (1d0 + along + 0.5d0 * along**2 - 1.5d0 * (u**2 + v**2))
            f(q, i, j) = f(q, i, j) + rate * (equilibrium - f(q, i, j))
          end do
        end if
      end do
    end do
  end subroutine collide

  ! What streams out of the channel on one side comes back on the other.
  subroutine wrap
    f(:, 0, 1:ny) = f(:, nx, 1:ny)
    f(:, nx + 1, 1:ny) = f(:, 1, 1:ny)
  end subroutine wrap

  subroutine propagate
    integer :: i, j, q
    !$omp parallel private(i, j, q)
    do q = 0, last
      ! expect: omp-barrier-in-loop medium "!$omp end do nowait"
      !$omp do
      do i = 1, nx
        ! expect: mem-strided-inner-loop medium "the directive then belongs to the loop over 'j'"
        do j = 1, ny
          if (solid(i - cx(q), j - cy(q))) then
            g(q, i, j) = f(opposite(q), i, j)
          else
            g(q, i, j) = f(q, i - cx(q), j - cy(q))
          end if
        end do
      end do
      !$omp end do
    end do
    !$omp end parallel
    call move_back
  end subroutine propagate

  subroutine move_back
    integer :: i, j, q
    !$omp parallel do private(i, q)
    do j = 1, ny
      do i = 1, nx
        do q = 0, last
          f(q, i, j) = g(q, i, j)
        end do
      end do
    end do
  end subroutine move_back
end module physics
