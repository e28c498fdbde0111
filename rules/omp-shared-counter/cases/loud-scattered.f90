! flags: -fopenmp
! Elements that data choose: two iterations may have the same one.
module scatters
  implicit none
  type :: mesh
    real(8), allocatable :: density(:, :)
    real(8) :: width
  end type mesh
contains
  subroutine histogram(n, key, count)
    integer, intent(in) :: n, key(n)
    integer, intent(inout) :: count(:)
    integer :: i
    !$omp parallel do
    do i = 1, n
      ! expect: omp-shared-counter medium "may update the same element of 'count'" "'!$omp atomic' before the update" "reduction(+:count)" no-fix
      count(key(i)) = count(key(i)) + 1
    end do
  end subroutine histogram

  ! Cells of particles.
  subroutine deposit(n, x, y, charge, g)
    integer, intent(in) :: n
    real(8), intent(in) :: x(n), y(n), charge
    type(mesh), intent(inout) :: g
    real(8) :: fx, fy
    integer :: p, i, j
    !$omp parallel do private(i, j, fx, fy)
    do p = 1, n
      fx = x(p) / g%width; fy = y(p) / g%width
      i = int(fx); j = int(fy)
      fx = fx - i; fy = fy - j
      ! expect: omp-shared-counter medium "may update the same element of 'g%density'" "neither is needed where no two iterations have the same element" no-fix
      g%density(i, j) = g%density(i, j) + charge * (1 - fx) * (1 - fy)
      g%density(i + 1, j + 1) = g%density(i + 1, j + 1) + charge * fx * fy
    end do
  end subroutine deposit

  ! The points of elements.
  subroutine assemble(elements, points, list, load, force)
    integer, intent(in) :: elements, points, list(8, elements)
    real(8), intent(in) :: load(elements)
    real(8), intent(inout) :: force(3, points)
    integer :: e, k, p
    !$omp parallel do private(k, p)
    do e = 1, elements
      do k = 1, 8
        p = list(k, e)
        ! expect: omp-shared-counter medium "may update the same element of 'force'" no-fix
        force(3, p) = force(3, p) - load(e)
      end do
    end do
  end subroutine assemble

  ! Both ends of an edge.
  subroutine residual(edges, ends, flux, total)
    integer, intent(in) :: edges, ends(2, edges)
    real(8), intent(in) :: flux(edges)
    real(8), intent(inout) :: total(:)
    integer :: e
    !$omp parallel do
    do e = 1, edges
      total(ends(1, e)) = total(ends(1, e)) + flux(e)
      ! expect: omp-shared-counter medium "may update the same element of 'total'" no-fix
      total(ends(2, e)) = total(ends(2, e)) - flux(e)
    end do
  end subroutine residual
end module scatters
