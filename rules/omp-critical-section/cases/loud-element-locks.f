! flags: -fopenmp
! A lock for each point, behind the sentinel of OpenMP, around one sum.
      subroutine gather(mortar, field, place, locks, points)
      implicit none
      integer points, place(points)
      integer(8) locks(*)
      double precision mortar(*), field(points)
      integer i, at
c$omp parallel do default(shared) private(i, at)
      do i = 1, points
        at = place(i)
! expect: omp-critical-section medium "an element's lock" "'mortar(at)'" "use '!$omp atomic' instead of taking the lock" no-fix
c$      call omp_set_lock(locks(at))
        mortar(at) = mortar(at) + field(i)
c$      call omp_unset_lock(locks(at))
      end do
c$omp end parallel do
      end

! The same as calls of the program.
      subroutine spread(mortar, field, place, locks, points)
      implicit none
      integer points, place(points)
      integer(8) locks(*)
      double precision mortar(*), field(points)
      integer i
c$omp parallel do
      do i = 1, points
! expect: omp-critical-section medium "an element's lock" "'mortar(place(i))'" no-fix
        call omp_set_lock(locks(place(i)))
        mortar(place(i)) = mortar(place(i)) + field(i)
        call omp_unset_lock(locks(place(i)))
      end do
c$omp end parallel do
      end

! Several places in one procedure: all of them together.
      subroutine ends(mortar, field, first, last, locks, points)
      implicit none
      integer points, first(points), last(points)
      integer(8) locks(*)
      double precision mortar(*), field(points)
      integer i
c$omp parallel do
      do i = 1, points
! expect: omp-critical-section medium "'mortar(first(i))'" "here and at line 50: at all of them together" no-fix
c$      call omp_set_lock(locks(first(i)))
        mortar(first(i)) = mortar(first(i)) + field(i)
c$      call omp_unset_lock(locks(first(i)))
c$      call omp_set_lock(locks(last(i)))
        mortar(last(i)) = mortar(last(i)) - field(i)
c$      call omp_unset_lock(locks(last(i)))
      end do
c$omp end parallel do
      end
