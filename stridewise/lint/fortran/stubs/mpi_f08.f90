! What `use mpi_f08` gives, for readers of source: types and constants, whose values are those of MPICH, as in mpif.h.
! Procedures have no interfaces, which any call without keywords fits.
module mpi_f08
  implicit none
  public

  type, bind(c) :: MPI_Comm
    integer :: MPI_VAL
  end type MPI_Comm
  type, bind(c) :: MPI_Datatype
    integer :: MPI_VAL
  end type MPI_Datatype
  type, bind(c) :: MPI_Op
    integer :: MPI_VAL
  end type MPI_Op
  type, bind(c) :: MPI_Group
    integer :: MPI_VAL
  end type MPI_Group
  type, bind(c) :: MPI_Request
    integer :: MPI_VAL
  end type MPI_Request
  type, bind(c) :: MPI_Info
    integer :: MPI_VAL
  end type MPI_Info
  type, bind(c) :: MPI_Win
    integer :: MPI_VAL
  end type MPI_Win
  type, bind(c) :: MPI_File
    integer :: MPI_VAL
  end type MPI_File
  type, bind(c) :: MPI_Errhandler
    integer :: MPI_VAL
  end type MPI_Errhandler
  type, bind(c) :: MPI_Message
    integer :: MPI_VAL
  end type MPI_Message
  type, bind(c) :: MPI_Status
    integer :: MPI_SOURCE, MPI_TAG, MPI_ERROR
    integer, private :: rest(3)
  end type MPI_Status

  integer, parameter :: MPI_ADDRESS_KIND = 8
  integer, parameter :: MPI_OFFSET_KIND = 8
  integer, parameter :: MPI_COUNT_KIND = 8
  integer, parameter :: MPI_INTEGER_KIND = 4
  integer, parameter :: MPI_SUCCESS = 0
  integer, parameter :: MPI_ANY_SOURCE = -2
  integer, parameter :: MPI_ANY_TAG = -1
  integer, parameter :: MPI_PROC_NULL = -1
  integer, parameter :: MPI_ROOT = -3
  integer, parameter :: MPI_UNDEFINED = -32766
  integer, parameter :: MPI_STATUS_SIZE = 5
  integer, parameter :: MPI_MAX_PROCESSOR_NAME = 256
  integer, parameter :: MPI_MAX_ERROR_STRING = 512
  integer, parameter :: MPI_MAX_OBJECT_NAME = 127
  integer, parameter :: MPI_MAX_INFO_KEY = 254
  integer, parameter :: MPI_MAX_INFO_VAL = 1023
  integer, parameter :: MPI_MAX_PORT_NAME = 255
  integer, parameter :: MPI_MAX_LIBRARY_VERSION_STRING = 8192
  integer, parameter :: MPI_MAX_DATAREP_STRING = 127
  integer, parameter :: MPI_BSEND_OVERHEAD = 96
  integer, parameter :: MPI_KEYVAL_INVALID = 603979776
  integer, parameter :: MPI_TAG_UB = 1681915906
  integer, parameter :: MPI_IO = 1681915910
  integer, parameter :: MPI_HOST = 1681915908
  integer, parameter :: MPI_WTIME_IS_GLOBAL = 1681915912
  integer, parameter :: MPI_APPNUM = 1681915918
  integer, parameter :: MPI_UNIVERSE_SIZE = 1681915914
  integer, parameter :: MPI_IDENT = 0
  integer, parameter :: MPI_CONGRUENT = 1
  integer, parameter :: MPI_SIMILAR = 2
  integer, parameter :: MPI_UNEQUAL = 3
  integer, parameter :: MPI_GRAPH = 1
  integer, parameter :: MPI_CART = 2
  integer, parameter :: MPI_DIST_GRAPH = 3
  integer, parameter :: MPI_COMM_TYPE_SHARED = 1
  integer, parameter :: MPI_THREAD_SINGLE = 0
  integer, parameter :: MPI_THREAD_FUNNELED = 1
  integer, parameter :: MPI_THREAD_SERIALIZED = 2
  integer, parameter :: MPI_THREAD_MULTIPLE = 3
  integer, parameter :: MPI_VERSION = 4
  integer, parameter :: MPI_SUBVERSION = 0
  integer, parameter :: MPI_ORDER_C = 56
  integer, parameter :: MPI_ORDER_FORTRAN = 57
  integer, parameter :: MPI_DISTRIBUTE_BLOCK = 121
  integer, parameter :: MPI_DISTRIBUTE_CYCLIC = 122
  integer, parameter :: MPI_DISTRIBUTE_NONE = 123
  integer, parameter :: MPI_DISTRIBUTE_DFLT_DARG = -49767
  integer, parameter :: MPI_MODE_CREATE = 1
  integer, parameter :: MPI_MODE_RDONLY = 2
  integer, parameter :: MPI_MODE_WRONLY = 4
  integer, parameter :: MPI_MODE_RDWR = 8
  integer, parameter :: MPI_MODE_DELETE_ON_CLOSE = 16
  integer, parameter :: MPI_MODE_UNIQUE_OPEN = 32
  integer, parameter :: MPI_MODE_EXCL = 64
  integer, parameter :: MPI_MODE_APPEND = 128
  integer, parameter :: MPI_MODE_SEQUENTIAL = 256
  integer, parameter :: MPI_SEEK_SET = 600
  integer, parameter :: MPI_SEEK_CUR = 602
  integer, parameter :: MPI_SEEK_END = 604
  integer, parameter :: MPI_MODE_NOCHECK = 1024
  integer, parameter :: MPI_MODE_NOSTORE = 2048
  integer, parameter :: MPI_MODE_NOPUT = 4096
  integer, parameter :: MPI_MODE_NOPRECEDE = 8192
  integer, parameter :: MPI_MODE_NOSUCCEED = 16384
  integer, parameter :: MPI_LOCK_EXCLUSIVE = 234
  integer, parameter :: MPI_LOCK_SHARED = 235
  integer, parameter :: MPI_WIN_BASE = 1711276034
  integer, parameter :: MPI_WIN_SIZE = 1711276036
  integer, parameter :: MPI_WIN_DISP_UNIT = 1711276038
  integer, parameter :: MPI_COMBINER_NAMED = 1
  integer, parameter :: MPI_COMBINER_VECTOR = 4
  integer, parameter :: MPI_COMBINER_STRUCT = 12
  integer, parameter :: MPI_ERR_BUFFER = 1
  integer, parameter :: MPI_ERR_COUNT = 2
  integer, parameter :: MPI_ERR_TYPE = 3
  integer, parameter :: MPI_ERR_TAG = 4
  integer, parameter :: MPI_ERR_COMM = 5
  integer, parameter :: MPI_ERR_RANK = 6
  integer, parameter :: MPI_ERR_ROOT = 7
  integer, parameter :: MPI_ERR_OP = 9
  integer, parameter :: MPI_ERR_TOPOLOGY = 10
  integer, parameter :: MPI_ERR_DIMS = 11
  integer, parameter :: MPI_ERR_ARG = 12
  integer, parameter :: MPI_ERR_UNKNOWN = 13
  integer, parameter :: MPI_ERR_TRUNCATE = 14
  integer, parameter :: MPI_ERR_OTHER = 15
  integer, parameter :: MPI_ERR_INTERN = 16
  integer, parameter :: MPI_ERR_IN_STATUS = 17
  integer, parameter :: MPI_ERR_PENDING = 18
  integer, parameter :: MPI_ERR_REQUEST = 19
  integer, parameter :: MPI_ERR_FILE = 27
  integer, parameter :: MPI_ERR_IO = 32
  integer, parameter :: MPI_ERR_NO_SUCH_FILE = 37
  integer, parameter :: MPI_ERR_LASTCODE = 1073741823
  type(MPI_Comm), parameter :: MPI_COMM_WORLD = MPI_Comm(1140850688)
  type(MPI_Comm), parameter :: MPI_COMM_SELF = MPI_Comm(1140850689)
  type(MPI_Comm), parameter :: MPI_COMM_NULL = MPI_Comm(67108864)
  type(MPI_Datatype), parameter :: MPI_INTEGER = MPI_Datatype(1275069467)
  type(MPI_Datatype), parameter :: MPI_REAL = MPI_Datatype(1275069468)
  type(MPI_Datatype), parameter :: MPI_DOUBLE_PRECISION = MPI_Datatype(1275070495)
  type(MPI_Datatype), parameter :: MPI_COMPLEX = MPI_Datatype(1275070494)
  type(MPI_Datatype), parameter :: MPI_DOUBLE_COMPLEX = MPI_Datatype(1275072546)
  type(MPI_Datatype), parameter :: MPI_LOGICAL = MPI_Datatype(1275069469)
  type(MPI_Datatype), parameter :: MPI_CHARACTER = MPI_Datatype(1275068698)
  type(MPI_Datatype), parameter :: MPI_BYTE = MPI_Datatype(1275068685)
  type(MPI_Datatype), parameter :: MPI_PACKED = MPI_Datatype(1275068687)
  type(MPI_Datatype), parameter :: MPI_INTEGER1 = MPI_Datatype(1275068717)
  type(MPI_Datatype), parameter :: MPI_INTEGER2 = MPI_Datatype(1275068975)
  type(MPI_Datatype), parameter :: MPI_INTEGER4 = MPI_Datatype(1275069488)
  type(MPI_Datatype), parameter :: MPI_INTEGER8 = MPI_Datatype(1275070513)
  type(MPI_Datatype), parameter :: MPI_INTEGER16 = MPI_Datatype(1016)
  type(MPI_Datatype), parameter :: MPI_REAL2 = MPI_Datatype(1017)
  type(MPI_Datatype), parameter :: MPI_REAL4 = MPI_Datatype(1275069479)
  type(MPI_Datatype), parameter :: MPI_REAL8 = MPI_Datatype(1275070505)
  type(MPI_Datatype), parameter :: MPI_REAL16 = MPI_Datatype(1275072555)
  type(MPI_Datatype), parameter :: MPI_COMPLEX4 = MPI_Datatype(1021)
  type(MPI_Datatype), parameter :: MPI_COMPLEX8 = MPI_Datatype(1275070504)
  type(MPI_Datatype), parameter :: MPI_COMPLEX16 = MPI_Datatype(1275072554)
  type(MPI_Datatype), parameter :: MPI_COMPLEX32 = MPI_Datatype(1275076652)
  type(MPI_Datatype), parameter :: MPI_2INTEGER = MPI_Datatype(1275070496)
  type(MPI_Datatype), parameter :: MPI_2REAL = MPI_Datatype(1275070497)
  type(MPI_Datatype), parameter :: MPI_2DOUBLE_PRECISION = MPI_Datatype(1275072547)
  type(MPI_Datatype), parameter :: MPI_AINT = MPI_Datatype(1275070531)
  type(MPI_Datatype), parameter :: MPI_OFFSET = MPI_Datatype(1275070532)
  type(MPI_Datatype), parameter :: MPI_COUNT = MPI_Datatype(1275070533)
  type(MPI_Datatype), parameter :: MPI_DATATYPE_NULL = MPI_Datatype(201326592)
  type(MPI_Datatype), parameter :: MPI_CHAR = MPI_Datatype(1275068673)
  type(MPI_Datatype), parameter :: MPI_SIGNED_CHAR = MPI_Datatype(1275068696)
  type(MPI_Datatype), parameter :: MPI_UNSIGNED_CHAR = MPI_Datatype(1275068674)
  type(MPI_Datatype), parameter :: MPI_SHORT = MPI_Datatype(1275068931)
  type(MPI_Datatype), parameter :: MPI_UNSIGNED_SHORT = MPI_Datatype(1275068932)
  type(MPI_Datatype), parameter :: MPI_INT = MPI_Datatype(1275069445)
  type(MPI_Datatype), parameter :: MPI_UNSIGNED = MPI_Datatype(1275069446)
  type(MPI_Datatype), parameter :: MPI_LONG = MPI_Datatype(1275070471)
  type(MPI_Datatype), parameter :: MPI_UNSIGNED_LONG = MPI_Datatype(1275070472)
  type(MPI_Datatype), parameter :: MPI_LONG_LONG = MPI_Datatype(1275070473)
  type(MPI_Datatype), parameter :: MPI_LONG_LONG_INT = MPI_Datatype(1275070473)
  type(MPI_Datatype), parameter :: MPI_UNSIGNED_LONG_LONG = MPI_Datatype(1275070489)
  type(MPI_Datatype), parameter :: MPI_FLOAT = MPI_Datatype(1275069450)
  type(MPI_Datatype), parameter :: MPI_DOUBLE = MPI_Datatype(1275070475)
  type(MPI_Datatype), parameter :: MPI_LONG_DOUBLE = MPI_Datatype(1275072524)
  type(MPI_Datatype), parameter :: MPI_FLOAT_INT = MPI_Datatype(-1946157056)
  type(MPI_Datatype), parameter :: MPI_DOUBLE_INT = MPI_Datatype(-1946157055)
  type(MPI_Datatype), parameter :: MPI_LONG_INT = MPI_Datatype(-1946157054)
  type(MPI_Datatype), parameter :: MPI_2INT = MPI_Datatype(1275070486)
  type(MPI_Datatype), parameter :: MPI_SHORT_INT = MPI_Datatype(-1946157053)
  type(MPI_Datatype), parameter :: MPI_LONG_DOUBLE_INT = MPI_Datatype(-1946157052)
  type(MPI_Datatype), parameter :: MPI_WCHAR = MPI_Datatype(1275069454)
  type(MPI_Datatype), parameter :: MPI_C_BOOL = MPI_Datatype(1275068735)
  type(MPI_Datatype), parameter :: MPI_C_COMPLEX = MPI_Datatype(1275070528)
  type(MPI_Datatype), parameter :: MPI_C_DOUBLE_COMPLEX = MPI_Datatype(1275072577)
  type(MPI_Datatype), parameter :: MPI_INT8_T = MPI_Datatype(1275068727)
  type(MPI_Datatype), parameter :: MPI_INT16_T = MPI_Datatype(1275068984)
  type(MPI_Datatype), parameter :: MPI_INT32_T = MPI_Datatype(1275069497)
  type(MPI_Datatype), parameter :: MPI_INT64_T = MPI_Datatype(1275070522)
  type(MPI_Datatype), parameter :: MPI_UINT8_T = MPI_Datatype(1275068731)
  type(MPI_Datatype), parameter :: MPI_UINT16_T = MPI_Datatype(1275068988)
  type(MPI_Datatype), parameter :: MPI_UINT32_T = MPI_Datatype(1275069501)
  type(MPI_Datatype), parameter :: MPI_UINT64_T = MPI_Datatype(1275070526)
  type(MPI_Op), parameter :: MPI_SUM = MPI_Op(1476395011)
  type(MPI_Op), parameter :: MPI_PROD = MPI_Op(1476395012)
  type(MPI_Op), parameter :: MPI_MAX = MPI_Op(1476395009)
  type(MPI_Op), parameter :: MPI_MIN = MPI_Op(1476395010)
  type(MPI_Op), parameter :: MPI_MAXLOC = MPI_Op(1476395020)
  type(MPI_Op), parameter :: MPI_MINLOC = MPI_Op(1476395019)
  type(MPI_Op), parameter :: MPI_LAND = MPI_Op(1476395013)
  type(MPI_Op), parameter :: MPI_LOR = MPI_Op(1476395015)
  type(MPI_Op), parameter :: MPI_LXOR = MPI_Op(1476395017)
  type(MPI_Op), parameter :: MPI_BAND = MPI_Op(1476395014)
  type(MPI_Op), parameter :: MPI_BOR = MPI_Op(1476395016)
  type(MPI_Op), parameter :: MPI_BXOR = MPI_Op(1476395018)
  type(MPI_Op), parameter :: MPI_REPLACE = MPI_Op(1476395021)
  type(MPI_Op), parameter :: MPI_NO_OP = MPI_Op(1476395022)
  type(MPI_Op), parameter :: MPI_OP_NULL = MPI_Op(402653184)
  type(MPI_Group), parameter :: MPI_GROUP_NULL = MPI_Group(134217728)
  type(MPI_Group), parameter :: MPI_GROUP_EMPTY = MPI_Group(1207959552)
  type(MPI_Request), parameter :: MPI_REQUEST_NULL = MPI_Request(738197504)
  type(MPI_Info), parameter :: MPI_INFO_NULL = MPI_Info(469762048)
  type(MPI_Info), parameter :: MPI_INFO_ENV = MPI_Info(1543503873)
  type(MPI_Win), parameter :: MPI_WIN_NULL = MPI_Win(536870912)
  type(MPI_File), parameter :: MPI_FILE_NULL = MPI_File(0)
  type(MPI_Errhandler), parameter :: MPI_ERRORS_ARE_FATAL = MPI_Errhandler(1409286144)
  type(MPI_Errhandler), parameter :: MPI_ERRORS_RETURN = MPI_Errhandler(1409286145)
  type(MPI_Errhandler), parameter :: MPI_ERRHANDLER_NULL = MPI_Errhandler(335544320)
  type(MPI_Message), parameter :: MPI_MESSAGE_NULL = MPI_Message(738197504)
  type(MPI_Message), parameter :: MPI_MESSAGE_NO_PROC = MPI_Message(1811939328)
  type(MPI_Status) :: MPI_STATUS_IGNORE, MPI_STATUSES_IGNORE(1)
  integer, target :: MPI_BOTTOM, MPI_IN_PLACE, MPI_UNWEIGHTED(1), MPI_WEIGHTS_EMPTY(1), MPI_ERRCODES_IGNORE(1)

  interface
    double precision function MPI_Wtime()
    end function MPI_Wtime
    double precision function MPI_Wtick()
    end function MPI_Wtick
  end interface

  interface operator(==)
    module procedure same_comm, same_datatype, same_op, same_group
    module procedure same_request, same_info, same_win, same_file, same_errhandler, same_message
  end interface operator(==)
  interface operator(/=)
    module procedure other_comm, other_datatype, other_op, other_group
    module procedure other_request, other_info, other_win, other_file, other_errhandler, other_message
  end interface operator(/=)

contains

  logical elemental function same_comm(a, b)
    type(MPI_Comm), intent(in) :: a, b
    same_comm = a%MPI_VAL == b%MPI_VAL
  end function same_comm

  logical elemental function same_datatype(a, b)
    type(MPI_Datatype), intent(in) :: a, b
    same_datatype = a%MPI_VAL == b%MPI_VAL
  end function same_datatype

  logical elemental function same_op(a, b)
    type(MPI_Op), intent(in) :: a, b
    same_op = a%MPI_VAL == b%MPI_VAL
  end function same_op

  logical elemental function same_group(a, b)
    type(MPI_Group), intent(in) :: a, b
    same_group = a%MPI_VAL == b%MPI_VAL
  end function same_group

  logical elemental function same_request(a, b)
    type(MPI_Request), intent(in) :: a, b
    same_request = a%MPI_VAL == b%MPI_VAL
  end function same_request

  logical elemental function same_info(a, b)
    type(MPI_Info), intent(in) :: a, b
    same_info = a%MPI_VAL == b%MPI_VAL
  end function same_info

  logical elemental function same_win(a, b)
    type(MPI_Win), intent(in) :: a, b
    same_win = a%MPI_VAL == b%MPI_VAL
  end function same_win

  logical elemental function same_file(a, b)
    type(MPI_File), intent(in) :: a, b
    same_file = a%MPI_VAL == b%MPI_VAL
  end function same_file

  logical elemental function same_errhandler(a, b)
    type(MPI_Errhandler), intent(in) :: a, b
    same_errhandler = a%MPI_VAL == b%MPI_VAL
  end function same_errhandler

  logical elemental function same_message(a, b)
    type(MPI_Message), intent(in) :: a, b
    same_message = a%MPI_VAL == b%MPI_VAL
  end function same_message

  logical elemental function other_comm(a, b)
    type(MPI_Comm), intent(in) :: a, b
    other_comm = a%MPI_VAL /= b%MPI_VAL
  end function other_comm

  logical elemental function other_datatype(a, b)
    type(MPI_Datatype), intent(in) :: a, b
    other_datatype = a%MPI_VAL /= b%MPI_VAL
  end function other_datatype

  logical elemental function other_op(a, b)
    type(MPI_Op), intent(in) :: a, b
    other_op = a%MPI_VAL /= b%MPI_VAL
  end function other_op

  logical elemental function other_group(a, b)
    type(MPI_Group), intent(in) :: a, b
    other_group = a%MPI_VAL /= b%MPI_VAL
  end function other_group

  logical elemental function other_request(a, b)
    type(MPI_Request), intent(in) :: a, b
    other_request = a%MPI_VAL /= b%MPI_VAL
  end function other_request

  logical elemental function other_info(a, b)
    type(MPI_Info), intent(in) :: a, b
    other_info = a%MPI_VAL /= b%MPI_VAL
  end function other_info

  logical elemental function other_win(a, b)
    type(MPI_Win), intent(in) :: a, b
    other_win = a%MPI_VAL /= b%MPI_VAL
  end function other_win

  logical elemental function other_file(a, b)
    type(MPI_File), intent(in) :: a, b
    other_file = a%MPI_VAL /= b%MPI_VAL
  end function other_file

  logical elemental function other_errhandler(a, b)
    type(MPI_Errhandler), intent(in) :: a, b
    other_errhandler = a%MPI_VAL /= b%MPI_VAL
  end function other_errhandler

  logical elemental function other_message(a, b)
    type(MPI_Message), intent(in) :: a, b
    other_message = a%MPI_VAL /= b%MPI_VAL
  end function other_message

end module mpi_f08
