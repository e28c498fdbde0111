! Five of the properties, one after the other, through each Fortran binding: -DBINDING=1 mpif.h, 2 use mpi, 3 use mpi_f08.
! PROGRAM DELAY_MS REPETITIONS [twin], as in property.h; prints what was slept for each property, in its order here, and
! how much later the last rank awoke than the first.
module pauses
  use, intrinsic :: iso_c_binding, only: c_int
  use, intrinsic :: iso_fortran_env, only: int64
  implicit none
  integer, parameter :: max_pauses = 1000
  integer :: pause_count = 0
  double precision :: delay_seconds, slept, awake_at(max_pauses)
  interface
    integer(c_int) function usleep(microseconds) bind(c, name='usleep')
      import :: c_int
      integer(c_int), value :: microseconds
    end function
  end interface
contains
  subroutine pause_for(share)
    double precision, intent(in) :: share
    integer(int64) :: before, after, rate
    integer(c_int) :: ignored
    call system_clock(before, rate)
    ignored = usleep(int(1d6 * share * delay_seconds, c_int))
    call system_clock(after)
    slept = slept + dble(after - before) / dble(rate)
    pause_count = min(pause_count + 1, max_pauses)
    awake_at(pause_count) = dble(after) / dble(rate)
  end subroutine
end module

program properties
#if BINDING == 2
  use mpi
#elif BINDING == 3
  use mpi_f08
#endif
  use pauses
  implicit none
#if BINDING == 1
  include 'mpif.h'
#endif
  integer :: rank, size, ierr, i, other, repetitions
  logical :: twin
  double precision :: mine, sum, all_slept(5), all_late(5)
  character(len=32) :: text
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, size, ierr)
  call get_command_argument(1, text)
  read (text, *) delay_seconds
  delay_seconds = 1d-3 * delay_seconds
  call get_command_argument(2, text)
  read (text, *) repetitions
  call get_command_argument(3, text)
  twin = text == 'twin'
  mine = rank
  ! Connections are made at the first message: not in the part that is looked at.
  do other = 0, size - 1
    call MPI_Sendrecv(mine, 1, MPI_DOUBLE_PRECISION, mod(rank + other, size), 9, sum, 1, MPI_DOUBLE_PRECISION, &
                      mod(rank + size - other, size), 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
  end do
  call MPI_Barrier(MPI_COMM_WORLD, ierr)

  ! Even ranks are late with a message that the next rank waits for.
  slept = 0
  do i = 1, repetitions
    if (mod(rank, 2) == 0 .and. rank + 1 < size) then
      call pause_for(1d0)
      call MPI_Send(mine, 1, MPI_DOUBLE_PRECISION, rank + 1, 0, MPI_COMM_WORLD, ierr)
      call MPI_Recv(sum, 1, MPI_DOUBLE_PRECISION, rank + 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
    else if (mod(rank, 2) == 1) then
      if (twin) call pause_for(1d0)
      call MPI_Recv(sum, 1, MPI_DOUBLE_PRECISION, rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
      call MPI_Send(mine, 1, MPI_DOUBLE_PRECISION, rank - 1, 1, MPI_COMM_WORLD, ierr)
    end if
  end do
  call note(1)

  ! The last rank is late at a barrier.
  do i = 1, repetitions
    if (rank == size - 1 .or. twin) call pause_for(1d0)
    call MPI_Barrier(MPI_COMM_WORLD, ierr)
  end do
  call note(2)

  ! Ranks compute the longer the higher they are before a sum over all.
  do i = 1, repetitions
    if (twin) then
      call pause_for(0.5d0)
    else if (rank > 0) then
      call pause_for(dble(rank) / (size - 1))
    end if
    call MPI_Allreduce(mine, sum, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierr)
  end do
  call note(3)

  ! The root of a reduction comes before all others.
  do i = 1, repetitions
    if (rank /= 0 .or. twin) call pause_for(1d0)
    call MPI_Reduce(mine, sum, 1, MPI_DOUBLE_PRECISION, MPI_SUM, 0, MPI_COMM_WORLD, ierr)
    call MPI_Barrier(MPI_COMM_WORLD, ierr)
  end do
  call note(4)

  ! The root of a broadcast is late.
  do i = 1, repetitions
    if (rank == 0 .or. twin) call pause_for(1d0)
    call MPI_Bcast(mine, 1, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD, ierr)
    call MPI_Barrier(MPI_COMM_WORLD, ierr)
  end do
  call note(5)

  if (rank == 0) then
    do i = 1, 5
      print '(A,F12.6,A,F12.6)', 'slept ', all_slept(i), ' late ', all_late(i)
    end do
  end if
  call MPI_Finalize(ierr)

contains

  ! The mean over the ranks that slept of the time that they slept; the mean over the pauses of how much later the last of
  ! them awoke than the first.
  subroutine note(property)
    integer, intent(in) :: property
    double precision :: parts(2), total(2), ends(2 * max_pauses), latest(2 * max_pauses)
    integer :: most, i
    parts = [slept, merge(1d0, 0d0, slept > 0)]
    total = 0
    call MPI_Reduce(parts, total, 2, MPI_DOUBLE_PRECISION, MPI_SUM, 0, MPI_COMM_WORLD, ierr)
    all_slept(property) = total(1) / max(1d0, total(2))
    most = min(repetitions, max_pauses)
    ends = -huge(1d0)
    do i = 1, min(pause_count, most)
      ends(2 * i - 1) = -awake_at(i)
      ends(2 * i) = awake_at(i)
    end do
    call MPI_Reduce(ends, latest, 2 * most, MPI_DOUBLE_PRECISION, MPI_MAX, 0, MPI_COMM_WORLD, ierr)
    all_late(property) = 0
    do i = 1, merge(most, 0, rank == 0)
      if (latest(2 * i) > 0) all_late(property) = all_late(property) + (latest(2 * i) + latest(2 * i - 1)) / most
    end do
    pause_count = 0
    slept = 0
    call MPI_Barrier(MPI_COMM_WORLD, ierr)
  end subroutine
end program
