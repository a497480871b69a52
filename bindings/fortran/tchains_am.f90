! Operations of active messages (docs/man/tc_am_entry.3.md) in Fortran.
!
! The rank's runtime checks each message; tc_am_run has it do that, runs the operation, and has it answer, however the
! operation returns. tc_am_input, tc_am_output and tc_am_range set a pointer to the elements of all segments, or to those
! of the rank's window. A pointer whose elements do not fit lets the unit fail, with the numbers.
!
! A source includes this file in front of its first subroutine, so that one file of bitcode has everything. It calls
! nothing of Fortran's runtime.
module tchains_am
  use, intrinsic :: iso_c_binding
  implicit none
  private
  public :: tc_am_unit, tc_am_run, tc_am_input, tc_am_output, tc_am_range, tc_am_description, tc_am_fail

  integer, parameter :: text_max = 160                       ! TC_AM_TEXT_MAX
  integer(c_int32_t), parameter :: abi = 1                   ! TC_AM_ABI
  integer(c_int), parameter :: invalid = -3, unsupported = -19 ! of tc/status.h

  ! As in C (tc/am_op.h).
  type, bind(C) :: tc_am_unit
    type(c_ptr) :: input
    type(c_ptr) :: output
    type(c_ptr) :: persistent
    integer(c_int64_t) :: persistent_bytes
    integer(c_int32_t) :: input_bytes       ! of one segment
    integer(c_int32_t) :: output_bytes
    integer(c_int32_t) :: segments          ! of this unit, at least 1
    integer(c_int32_t) :: first             ! the number of its first segment, from 0 on
    type(c_ptr) :: description
    integer(c_int32_t) :: description_bytes
    integer(c_int32_t) :: origin            ! the rank that asks
    integer(c_int) :: status
    character(kind=c_char) :: text(text_max)
  end type

  type, bind(C) :: node ! tc_am_node
    integer(c_int32_t) :: abi
    integer(c_int32_t) :: unused
    type(c_funptr) :: begin
    type(c_funptr) :: end
  end type

  ! Each sets a pointer: integers of 8 to 64 bits, real(c_float) or real(c_double).
  interface tc_am_input
    module procedure input_i8, input_i16, input_i32, input_i64, input_f32, input_f64
  end interface
  interface tc_am_output
    module procedure output_i8, output_i16, output_i32, output_i64, output_f32, output_f64
  end interface
  interface tc_am_range
    module procedure range_i8, range_i16, range_i32, range_i64, range_f32, range_f64
  end interface

  abstract interface
    subroutine operation_of(unit) bind(C)
      import :: tc_am_unit
      type(tc_am_unit), intent(inout) :: unit
    end subroutine
    integer(c_int) function begin_of(at, payload, bytes, unit) bind(C)
      import :: c_int, c_ptr, c_size_t, tc_am_unit
      type(c_ptr), value :: at, payload
      integer(c_size_t), value :: bytes
      type(tc_am_unit), intent(inout) :: unit
    end function
    subroutine end_of(at, unit, returned) bind(C)
      import :: c_int, c_ptr, tc_am_unit
      type(c_ptr), value :: at
      type(tc_am_unit), intent(inout) :: unit
      integer(c_int), value :: returned
    end subroutine
  end interface

  interface
    type(c_ptr) function tc_self_data(name, bytes) bind(C, name="tc_self_data")
      import :: c_ptr, c_char, c_size_t
      character(kind=c_char), intent(in) :: name(*)
      integer(c_size_t), intent(inout) :: bytes
    end function
    subroutine tc_self_fail(status, text) bind(C, name="tc_self_fail")
      import :: c_int, c_char
      integer(c_int), value :: status
      character(kind=c_char), intent(in) :: text(*)
    end subroutine
  end interface

contains

  ! The body of NAME_main.
  subroutine tc_am_run(operation, payload, payload_size)
    procedure(operation_of) :: operation
    type(c_ptr), intent(in) :: payload
    integer(c_size_t), intent(in) :: payload_size
    type(tc_am_unit) :: unit
    type(node), pointer :: found
    type(c_ptr) :: at
    integer(c_size_t) :: bytes
    procedure(begin_of), pointer :: begin
    procedure(end_of), pointer :: end
    bytes = 0
    at = tc_self_data("tc_ams" // c_null_char, bytes)
    if (.not. c_associated(at)) then
      call tc_self_fail(unsupported, "the rank has no active messages open" // c_null_char)
      return
    end if
    call c_f_pointer(at, found)
    if (bytes < c_sizeof(found) .or. found%abi /= abi) then
      call tc_self_fail(unsupported, "the rank has active messages of another version" // c_null_char)
      return
    end if
    call c_f_procpointer(found%begin, begin)
    call c_f_procpointer(found%end, end)
    if (begin(at, payload, payload_size, unit) == 0) return
    call operation(unit)
    call end(at, unit, 1_c_int)
  end subroutine

  ! Makes a unit fail. Its output is dropped; its stores to the window stay.
  subroutine tc_am_fail(unit, status, text)
    type(tc_am_unit), intent(inout) :: unit
    integer(c_int), intent(in) :: status
    character(kind=c_char, len=*), intent(in) :: text
    unit%status = invalid
    if (status < 0) unit%status = status
    unit%text(1) = c_null_char
    call append(unit, text, len(text))
  end subroutine

  subroutine append(unit, words, length)
    type(tc_am_unit), intent(inout) :: unit
    integer, intent(in) :: length
    character(kind=c_char), intent(in) :: words(length)
    integer :: i, used
    used = 0
    do while (iachar(unit%text(used + 1)) /= 0)
      used = used + 1
    end do
    do i = 1, min(length, text_max - 1 - used)
      unit%text(used + i) = words(i)
    end do
    unit%text(used + i) = c_null_char
  end subroutine

  subroutine append_number(unit, given)
    type(tc_am_unit), intent(inout) :: unit
    integer(c_int64_t), intent(in) :: given
    integer(c_int64_t) :: rest, digit
    character(kind=c_char) :: letter(1)
    digit = 1
    do while (given / digit > 9)
      digit = digit * 10
    end do
    rest = given
    do while (digit > 0)
      letter(1) = achar(iachar('0') + int(rest / digit), kind=c_char)
      call append(unit, letter, 1)
      rest = mod(rest, digit)
      digit = digit / 10
    end do
  end subroutine

  subroutine misfit(unit, words, found, expected)
    type(tc_am_unit), intent(inout) :: unit
    character(kind=c_char, len=*), intent(in) :: words
    integer(c_int64_t), intent(in) :: found, expected
    call tc_am_fail(unit, invalid, words)
    call append_number(unit, found)
    call append(unit, ", expected a multiple of ", 25)
    call append_number(unit, expected)
  end subroutine

  ! The number of elements of a size; -1: the bytes are none, or lie elsewhere, and the unit has failed.
  integer(c_int64_t) function elements(unit, start, bytes, parts, size, words, place)
    type(tc_am_unit), intent(inout) :: unit
    type(c_ptr), intent(in), target :: start
    integer(c_int64_t), intent(in) :: bytes
    integer(c_int32_t), intent(in) :: parts
    integer(c_int64_t), intent(in) :: size
    character(kind=c_char, len=*), intent(in) :: words, place
    integer(c_int64_t), pointer :: address ! as C's pointer
    elements = -1
    call c_f_pointer(c_loc(start), address)
    if (mod(bytes, size) /= 0) then
      call misfit(unit, words, bytes, size)
    else if (bytes > 0 .and. mod(address, size) /= 0) then
      call misfit(unit, place, address, size)
    else
      elements = bytes / size * parts
    end if
  end function

  integer(c_int64_t) function inputs(unit, size)
    type(tc_am_unit), intent(inout) :: unit
    integer(c_int64_t), intent(in) :: size
    inputs = elements(unit, unit%input, int(unit%input_bytes, c_int64_t), unit%segments, size, &
                      "segments of the input have the bytes ", "the input lies at ")
  end function

  integer(c_int64_t) function outputs(unit, size)
    type(tc_am_unit), intent(inout) :: unit
    integer(c_int64_t), intent(in) :: size
    outputs = elements(unit, unit%output, int(unit%output_bytes, c_int64_t), unit%segments, size, &
                       "segments of the output have the bytes ", "the output lies at ")
  end function

  integer(c_int64_t) function ranges(unit, size)
    type(tc_am_unit), intent(inout) :: unit
    integer(c_int64_t), intent(in) :: size
    ranges = elements(unit, unit%persistent, unit%persistent_bytes, 1, size, "the range has the bytes ", "the range lies at ")
  end function

  ! The description that the origin gave: without one it has no elements.
  subroutine tc_am_description(unit, bytes)
    type(tc_am_unit), intent(in) :: unit
    integer(c_int8_t), pointer, intent(out) :: bytes(:)
    call c_f_pointer(unit%description, bytes, [unit%description_bytes])
  end subroutine

  ! --- tc_am_input: false, and the unit has failed, where the elements do not fit --------------------------------

  logical function input_i8(unit, values)
    type(tc_am_unit), intent(inout) :: unit
    integer(c_int8_t), pointer, intent(out) :: values(:)
    integer(c_int64_t) :: count
    count = inputs(unit, 1_c_int64_t)
    input_i8 = count >= 0
    call c_f_pointer(unit%input, values, [max(count, 0_c_int64_t)])
  end function

  logical function input_i16(unit, values)
    type(tc_am_unit), intent(inout) :: unit
    integer(c_int16_t), pointer, intent(out) :: values(:)
    integer(c_int64_t) :: count
    count = inputs(unit, 2_c_int64_t)
    input_i16 = count >= 0
    call c_f_pointer(unit%input, values, [max(count, 0_c_int64_t)])
  end function

  logical function input_i32(unit, values)
    type(tc_am_unit), intent(inout) :: unit
    integer(c_int32_t), pointer, intent(out) :: values(:)
    integer(c_int64_t) :: count
    count = inputs(unit, 4_c_int64_t)
    input_i32 = count >= 0
    call c_f_pointer(unit%input, values, [max(count, 0_c_int64_t)])
  end function

  logical function input_i64(unit, values)
    type(tc_am_unit), intent(inout) :: unit
    integer(c_int64_t), pointer, intent(out) :: values(:)
    integer(c_int64_t) :: count
    count = inputs(unit, 8_c_int64_t)
    input_i64 = count >= 0
    call c_f_pointer(unit%input, values, [max(count, 0_c_int64_t)])
  end function

  logical function input_f32(unit, values)
    type(tc_am_unit), intent(inout) :: unit
    real(c_float), pointer, intent(out) :: values(:)
    integer(c_int64_t) :: count
    count = inputs(unit, 4_c_int64_t)
    input_f32 = count >= 0
    call c_f_pointer(unit%input, values, [max(count, 0_c_int64_t)])
  end function

  logical function input_f64(unit, values)
    type(tc_am_unit), intent(inout) :: unit
    real(c_double), pointer, intent(out) :: values(:)
    integer(c_int64_t) :: count
    count = inputs(unit, 8_c_int64_t)
    input_f64 = count >= 0
    call c_f_pointer(unit%input, values, [max(count, 0_c_int64_t)])
  end function

  ! --- tc_am_output: false, and the unit has failed, where the elements do not fit -------------------------------

  logical function output_i8(unit, values)
    type(tc_am_unit), intent(inout) :: unit
    integer(c_int8_t), pointer, intent(out) :: values(:)
    integer(c_int64_t) :: count
    count = outputs(unit, 1_c_int64_t)
    output_i8 = count >= 0
    call c_f_pointer(unit%output, values, [max(count, 0_c_int64_t)])
  end function

  logical function output_i16(unit, values)
    type(tc_am_unit), intent(inout) :: unit
    integer(c_int16_t), pointer, intent(out) :: values(:)
    integer(c_int64_t) :: count
    count = outputs(unit, 2_c_int64_t)
    output_i16 = count >= 0
    call c_f_pointer(unit%output, values, [max(count, 0_c_int64_t)])
  end function

  logical function output_i32(unit, values)
    type(tc_am_unit), intent(inout) :: unit
    integer(c_int32_t), pointer, intent(out) :: values(:)
    integer(c_int64_t) :: count
    count = outputs(unit, 4_c_int64_t)
    output_i32 = count >= 0
    call c_f_pointer(unit%output, values, [max(count, 0_c_int64_t)])
  end function

  logical function output_i64(unit, values)
    type(tc_am_unit), intent(inout) :: unit
    integer(c_int64_t), pointer, intent(out) :: values(:)
    integer(c_int64_t) :: count
    count = outputs(unit, 8_c_int64_t)
    output_i64 = count >= 0
    call c_f_pointer(unit%output, values, [max(count, 0_c_int64_t)])
  end function

  logical function output_f32(unit, values)
    type(tc_am_unit), intent(inout) :: unit
    real(c_float), pointer, intent(out) :: values(:)
    integer(c_int64_t) :: count
    count = outputs(unit, 4_c_int64_t)
    output_f32 = count >= 0
    call c_f_pointer(unit%output, values, [max(count, 0_c_int64_t)])
  end function

  logical function output_f64(unit, values)
    type(tc_am_unit), intent(inout) :: unit
    real(c_double), pointer, intent(out) :: values(:)
    integer(c_int64_t) :: count
    count = outputs(unit, 8_c_int64_t)
    output_f64 = count >= 0
    call c_f_pointer(unit%output, values, [max(count, 0_c_int64_t)])
  end function

  ! --- tc_am_range: false, and the unit has failed, where the elements do not fit --------------------------------

  logical function range_i8(unit, values)
    type(tc_am_unit), intent(inout) :: unit
    integer(c_int8_t), pointer, intent(out) :: values(:)
    integer(c_int64_t) :: count
    count = ranges(unit, 1_c_int64_t)
    range_i8 = count >= 0
    call c_f_pointer(unit%persistent, values, [max(count, 0_c_int64_t)])
  end function

  logical function range_i16(unit, values)
    type(tc_am_unit), intent(inout) :: unit
    integer(c_int16_t), pointer, intent(out) :: values(:)
    integer(c_int64_t) :: count
    count = ranges(unit, 2_c_int64_t)
    range_i16 = count >= 0
    call c_f_pointer(unit%persistent, values, [max(count, 0_c_int64_t)])
  end function

  logical function range_i32(unit, values)
    type(tc_am_unit), intent(inout) :: unit
    integer(c_int32_t), pointer, intent(out) :: values(:)
    integer(c_int64_t) :: count
    count = ranges(unit, 4_c_int64_t)
    range_i32 = count >= 0
    call c_f_pointer(unit%persistent, values, [max(count, 0_c_int64_t)])
  end function

  logical function range_i64(unit, values)
    type(tc_am_unit), intent(inout) :: unit
    integer(c_int64_t), pointer, intent(out) :: values(:)
    integer(c_int64_t) :: count
    count = ranges(unit, 8_c_int64_t)
    range_i64 = count >= 0
    call c_f_pointer(unit%persistent, values, [max(count, 0_c_int64_t)])
  end function

  logical function range_f32(unit, values)
    type(tc_am_unit), intent(inout) :: unit
    real(c_float), pointer, intent(out) :: values(:)
    integer(c_int64_t) :: count
    count = ranges(unit, 4_c_int64_t)
    range_f32 = count >= 0
    call c_f_pointer(unit%persistent, values, [max(count, 0_c_int64_t)])
  end function

  logical function range_f64(unit, values)
    type(tc_am_unit), intent(inout) :: unit
    real(c_double), pointer, intent(out) :: values(:)
    integer(c_int64_t) :: count
    count = ranges(unit, 8_c_int64_t)
    range_f64 = count >= 0
    call c_f_pointer(unit%persistent, values, [max(count, 0_c_int64_t)])
  end function
end module
