! flags: -fopenmp
program main
  use fields, only: p => pressure, velocity, cells
  use steps, only: advance
  implicit none
  include 'sizes.h'
  integer :: i, j, k, step
  allocate(velocity(cells, 4 * cells))
  ! expect: omp-serial-first-touch high "'p'" "steps.f90:11"
  do k = 1, 8
    do j = 1, cells
      do i = 1, cells
        p(i, j, k) = 1.0d0
      end do
    end do
  end do
  ! expect: omp-serial-first-touch medium "'velocity'" "steps.f90:20"
  velocity = 0.0d0
  ! expect: omp-serial-first-touch high "'column'" "steps.f90:34"
  column(1:levels, :) = 0.0d0
  do step = 1, 10
    call advance(velocity)
  end do
end program main
