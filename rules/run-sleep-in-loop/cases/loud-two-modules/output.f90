module output
  implicit none
contains
  subroutine store(values)
    real(8), intent(in) :: values(:)
    write (20) values
    call settle
  end subroutine store

  subroutine settle
    ! expect: run-sleep-in-loop high "sleep" "'step' in main.f90" "2 s" "remove the call of sleep"
    call sleep(2)
  end subroutine settle
end module output
