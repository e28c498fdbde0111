! flags: -fopenmp
! Locks of elements around two sums, beside a section that keeps the lock, around more than the text shows, around what
! another section reads.
      subroutine sums(mortar, weights, field, place, locks, points)
      implicit none
      integer points, place(points)
      integer(8) locks(*)
      double precision mortar(*), weights(*), field(points)
      integer i, at
c$omp parallel do private(at)
      do i = 1, points
        at = place(i)
c$      call omp_set_lock(locks(at))
        mortar(at) = mortar(at) + field(i)
        weights(at) = weights(at) + 1.0d0
c$      call omp_unset_lock(locks(at))
        at = place(i) + 1
c$      call omp_set_lock(locks(at))
        mortar(at) = mortar(at) + field(i)
c$      call omp_unset_lock(locks(at))
      end do
c$omp end parallel do
      end

      subroutine hidden(queue, field, place, doors, points, length)
      implicit none
      integer points, place(points), length
      integer(8) doors(*)
      double precision queue(*), field(points)
      integer i, at
c$omp parallel do private(at)
      do i = 1, points
        at = place(i)
c$      call omp_set_lock(doors(at))
        queue(at) = queue(at) + field(i)
c$      length = length + 1
c$      call omp_unset_lock(doors(at))
      end do
c$omp end parallel do
      end

      subroutine read_too(heap, field, place, gates, points)
      implicit none
      integer points, place(points)
      integer(8) gates(*)
      double precision heap(*), field(points)
      integer i
c$omp parallel do
      do i = 1, points
c$      call omp_set_lock(gates(place(i)))
        heap(place(i)) = heap(place(i)) + field(i)
c$      call omp_unset_lock(gates(place(i)))
c$      call omp_set_lock(gates(i))
        field(i) = 2.0d0 * heap(i)
c$      call omp_unset_lock(gates(i))
      end do
c$omp end parallel do
      end

      subroutine serial(mortar, field, place, locks, points)
      implicit none
      integer points, place(points)
      integer(8) locks(*)
      double precision mortar(*), field(points)
      integer i
      do i = 1, points
c$      call omp_set_lock(locks(place(i)))
        mortar(place(i)) = mortar(place(i)) + field(i)
c$      call omp_unset_lock(locks(place(i)))
      end do
      end
