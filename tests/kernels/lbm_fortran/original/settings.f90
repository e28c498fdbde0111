! What a run is told: KEY=VALUE on the command line.
module settings
  implicit none
  integer :: width = 400, height = 160, iterations = 200, save_interval = 50, pause_ms = 50
contains
  subroutine read_settings
    character(len=64) :: word
    integer :: k, equals, value
    do k = 1, command_argument_count()
      call get_command_argument(k, word)
      equals = index(word, '=')
      read (word(equals + 1:), *) value
      select case (word(:equals - 1))
      case ('width')
        width = value
      case ('height')
        height = value
      case ('iterations')
        iterations = value
      case ('save_interval')
        save_interval = value
      case ('pause_ms')
        pause_ms = value
      end select
    end do
  end subroutine read_settings
end module settings
