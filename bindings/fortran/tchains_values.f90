! Values of messages and of answers, for functions and callers in Fortran.
!
! A prototype (docs/payload-layout.md) states the types of a function's values. Of its text follow two tables, of the
! message and of the answer: where each value lies, and how large it is. tc_message compares the table with a payload
! that a peer has written: every number of elements is read once, and has to fit the bytes that there are. Only then
! does the function get pointers, value by value in their order, by tc_next: to a number, or to the elements of an
! array, where they lie. A pointer of another type than the prototype's is refused, as a wrong message is.
!
! A source includes this file in front of its first subroutine, so that one file of bitcode has everything. It calls
! nothing of Fortran's runtime: no derived type has a first value, and texts are compared letter by letter.
module tchains_values
  use, intrinsic :: iso_c_binding
  implicit none
  private
  public :: tc_values, tc_message, tc_answer, tc_reply_with, tc_next, tc_next_struct, tc_next_structs, tc_lay_out, &
            tc_expect, tc_read, tc_prototype_max

  integer, parameter :: tc_prototype_max = 512  ! characters, with a zero behind them
  integer, parameter :: values_max = 65         ! 64 arguments and a result
  integer, parameter :: depth_max = 8           ! structs in structs
  integer(c_int64_t), parameter :: bytes_max = 2_c_int64_t**31 - 1
  integer(c_int), parameter :: invalid = -3     ! TC_E_INVALID of tc/status.h
  integer(c_int), parameter :: not_found = -5   ! TC_E_NOT_FOUND

  ! One value: its type, and where it lies.
  type :: tc_value
    integer :: letter                   ! that its type begins with: i, u, f, b(ool), t(ext), {, ?
    logical :: varies                   ! any number of elements, which follow the fixed part
    integer(c_int64_t) :: size          ! of one element
    integer(c_int64_t) :: alignment
    integer(c_int64_t) :: elements      ! of an array of a fixed number
    integer(c_int64_t) :: place         ! in the fixed part
    integer(c_int64_t) :: begin, count  ! its elements
    integer :: origin                   ! of an answer's value: that of the message which it is made of, or 0
    logical :: is_changed               ! it comes back: a copy of the message's
  end type

  ! The values of a message or of an answer.
  type :: tc_values
    type(tc_value) :: value(values_max)
    integer :: values, last, taken
    integer(c_int64_t) :: fixed, size
    type(c_ptr) :: memory
    logical :: is_call, fits
  end type

  ! The next letters of a prototype.
  type :: cursor
    character(kind=c_char) :: text(tc_prototype_max)
    integer :: at
    logical :: ok
  end type

  ! Sets a pointer to the next value.
  interface tc_next
    module procedure next_i8, next_i16, next_i32, next_i64, next_f32, next_f64, next_bool
    module procedure next_i8s, next_i16s, next_i32s, next_i64s, next_f32s, next_f64s, next_bools, next_text
  end interface

  interface
    integer(c_int) function tc_reply_begin(bytes, memory) bind(C, name="tc_reply_begin")
      import :: c_int, c_size_t, c_ptr
      integer(c_size_t), value :: bytes
      type(c_ptr), intent(out) :: memory
    end function
    integer(c_int) function tc_reply_commit(bytes) bind(C, name="tc_reply_commit")
      import :: c_int, c_size_t
      integer(c_size_t), value :: bytes
    end function
    subroutine tc_self_fail(status, text) bind(C, name="tc_self_fail")
      import :: c_int, c_char
      integer(c_int), value :: status
      character(kind=c_char), intent(in) :: text(*)
    end subroutine
    type(c_ptr) function c_malloc(bytes) bind(C, name="malloc")
      import :: c_ptr, c_size_t
      integer(c_size_t), value :: bytes
    end function
    type(c_ptr) function c_memset(to, byte, bytes) bind(C, name="memset")
      import :: c_ptr, c_int, c_size_t
      type(c_ptr), value :: to
      integer(c_int), value :: byte
      integer(c_size_t), value :: bytes
    end function
    type(c_ptr) function c_memcpy(to, from, bytes) bind(C, name="memcpy")
      import :: c_ptr, c_size_t
      type(c_ptr), value :: to, from
      integer(c_size_t), value :: bytes
    end function
    subroutine c_free(memory) bind(C, name="free")
      import :: c_ptr
      type(c_ptr), value :: memory
    end subroutine
  end interface

  integer(c_int64_t), target :: nothing ! the address of values that do not fit

contains

  ! --- the prototype --------------------------------------------------------------------------------------------

  pure integer function letter_at(c)
    type(cursor), intent(in) :: c
    letter_at = iachar(c%text(c%at))
  end function

  logical function took(c, letter)
    type(cursor), intent(inout) :: c
    character(kind=c_char), intent(in) :: letter
    took = letter_at(c) == iachar(letter)
    if (took) c%at = c%at + 1
  end function

  subroutine number(c, found)
    type(cursor), intent(inout) :: c
    integer(c_int64_t), intent(out) :: found
    found = 0
    do while (letter_at(c) >= iachar('0') .and. letter_at(c) <= iachar('9') .and. found <= bytes_max)
      found = 10 * found + letter_at(c) - iachar('0')
      c%at = c%at + 1
    end do
    c%ok = c%ok .and. found >= 1 .and. found <= bytes_max
  end subroutine

  pure integer(c_int64_t) function rounded(at, alignment)
    integer(c_int64_t), intent(in) :: at, alignment
    rounded = (at + alignment - 1) / alignment * alignment
  end function

  ! A number's type; false: there is none.
  logical function scalar(c, bytes)
    type(cursor), intent(inout) :: c
    integer(c_int64_t), intent(out) :: bytes
    integer(c_int64_t) :: bits
    scalar = .true.
    bytes = 1
    if (took(c, 'b')) then ! bool
      c%at = c%at + 3
    else if (took(c, 'i') .or. took(c, 'u') .or. took(c, 'f')) then
      call number(c, bits)
      bytes = bits / 8
    else
      scalar = .false.
    end if
  end function

  ! A dimension behind an element: 0 without one, -1 for any number.
  integer(c_int64_t) function dimension_of(c)
    type(cursor), intent(inout) :: c
    dimension_of = 0
    if (.not. took(c, '[')) return
    dimension_of = -1
    if (took(c, ']')) return
    call number(c, dimension_of)
    c%ok = c%ok .and. took(c, ']')
  end function

  ! The size and the alignment of an element. Structs inside one another are kept on a stack.
  subroutine element(c, bytes, alignment)
    type(cursor), intent(inout) :: c
    integer(c_int64_t), intent(out) :: bytes, alignment
    integer(c_int64_t) :: ends(depth_max), largest(depth_max), count
    integer :: depth
    depth = 0
    do
      if (took(c, '{')) then
        depth = depth + 1
        c%ok = c%ok .and. depth <= depth_max
        if (.not. c%ok) return
        ends(depth) = 0
        largest(depth) = 1
        cycle
      end if
      if (took(c, '?')) then
        call number(c, bytes)
        c%ok = c%ok .and. took(c, ':')
        call number(c, alignment)
      else
        c%ok = c%ok .and. scalar(c, bytes)
        alignment = bytes
      end if
      do ! as long as this ends a struct
        if (.not. c%ok .or. depth == 0) return
        count = max(dimension_of(c), 1_c_int64_t)
        ends(depth) = rounded(ends(depth), alignment) + bytes * count
        largest(depth) = max(largest(depth), alignment)
        if (took(c, ',')) exit
        c%ok = c%ok .and. took(c, '}')
        alignment = largest(depth)
        bytes = rounded(ends(depth), alignment)
        depth = depth - 1
      end do
    end do
  end subroutine

  subroutine type_of(c, v)
    type(cursor), intent(inout) :: c
    type(tc_value), intent(out) :: v
    integer(c_int64_t) :: count
    v%letter = letter_at(c)
    v%elements = 1
    v%count = 1
    v%begin = 0
    v%place = 0
    v%origin = 0
    v%is_changed = .false.
    if (took(c, 't')) then ! text
      c%at = c%at + 3
      v%size = 1
      v%alignment = 1
      v%varies = .true.
      return
    end if
    call element(c, v%size, v%alignment)
    count = dimension_of(c)
    v%varies = count < 0
    if (count > 0) v%elements = count
  end subroutine

  subroutine add(values, v)
    type(tc_values), intent(inout) :: values
    type(tc_value), intent(in) :: v
    values%values = values%values + 1
    values%value(values%values) = v
  end subroutine

  subroutine read_argument(c, message, answer)
    type(cursor), intent(inout) :: c
    type(tc_values), intent(inout) :: message, answer
    type(tc_value) :: v, capacity
    logical :: is_out, is_changed
    is_out = .false.
    is_changed = .false.
    if (letter_at(c) == iachar('o')) then ! "out "
      is_out = .true.
      c%at = c%at + 4
    else if (letter_at(c) == iachar('i') .and. iachar(c%text(c%at + 1)) == iachar('n')) then ! "inout "
      is_changed = .true.
      c%at = c%at + 6
    end if
    call type_of(c, v)
    if (.not. is_out) call add(message, v)
    if (is_out .and. v%varies) then
      capacity = v
      capacity%letter = iachar('u')
      capacity%varies = .false.
      capacity%size = 8
      capacity%alignment = 8
      call add(message, capacity)
    end if
    if (.not. is_out .and. .not. is_changed) return
    if (is_changed .or. v%varies) v%origin = message%values
    v%is_changed = is_changed
    call add(answer, v)
  end subroutine

  ! Reads a prototype into the tables of its values.
  subroutine read_prototype(prototype, message, answer, ok)
    character(kind=c_char), intent(in) :: prototype(*)
    type(tc_values), intent(inout) :: message, answer
    logical, intent(out) :: ok
    type(cursor) :: c
    type(tc_value) :: result
    integer :: i
    do i = 1, tc_prototype_max
      c%text(i) = prototype(i)
      if (iachar(c%text(i)) == 0) exit
    end do
    c%text(min(i, tc_prototype_max)) = c_null_char
    message%values = 0
    answer%values = 1 ! the result, which is behind the arguments
    c%at = 1
    c%ok = took(c, '(')
    do while (c%ok .and. .not. took(c, ')'))
      call read_argument(c, message, answer)
      c%ok = c%ok .and. message%values < values_max .and. answer%values < values_max
      if (.not. took(c, ',')) c%ok = c%ok .and. letter_at(c) == iachar(')')
    end do
    if (.not. c%ok) then
      ok = .false.
      return
    end if
    if (took(c, '-')) then
      c%at = c%at + 1
      call type_of(c, result)
      answer%value(1) = result
    else
      do i = 2, answer%values
        answer%value(i - 1) = answer%value(i)
      end do
      answer%values = answer%values - 1
    end if
    ok = c%ok .and. letter_at(c) == 0
    if (.not. ok) return
    call lay_out_fixed(message)
    call lay_out_fixed(answer)
  end subroutine

  ! --- the layout -----------------------------------------------------------------------------------------------

  subroutine lay_out_fixed(values)
    type(tc_values), intent(inout) :: values
    integer(c_int64_t) :: end, largest, bytes, alignment
    integer :: i
    values%last = 0
    values%taken = 0
    values%fits = .true.
    values%is_call = .true.
    do i = 1, values%values
      if (values%value(i)%varies) values%last = i
    end do
    end = 0
    largest = 1
    do i = 1, values%values
      if (i == values%last) cycle
      bytes = values%value(i)%size * values%value(i)%elements
      alignment = values%value(i)%alignment
      if (values%value(i)%varies) then
        bytes = 8
        alignment = 8
      end if
      values%value(i)%place = rounded(end, alignment)
      end = values%value(i)%place + bytes
      largest = max(largest, alignment)
    end do
    if (values%last == 0) end = rounded(end, largest)
    values%fixed = end
    values%size = end
  end subroutine

  type(c_ptr) function address_of(values, offset)
    type(tc_values), intent(in) :: values
    integer(c_int64_t), intent(in) :: offset
    integer(c_int8_t), pointer :: bytes(:)
    call c_f_pointer(values%memory, bytes, [offset + 1])
    address_of = c_loc(bytes(offset + 1))
  end function

  ! Finds the values in bytes of a peer's. Otherwise `found` and `expected` are the numbers that differ.
  logical function find(values, found, expected)
    type(tc_values), intent(inout) :: values
    integer(c_int64_t), intent(out) :: found, expected
    integer(c_int64_t) :: end, most
    integer(c_int64_t), pointer :: stated
    integer :: i
    find = .false.
    found = values%size
    expected = values%fixed
    if (found < expected .or. (values%last == 0 .and. found /= expected)) return
    end = values%fixed
    do i = 1, values%values
      if (.not. values%value(i)%varies) cycle
      values%value(i)%begin = rounded(end, values%value(i)%alignment)
      expected = values%value(i)%begin
      if (expected > values%size) return
      most = (values%size - values%value(i)%begin) / values%value(i)%size
      if (i == values%last) then
        values%value(i)%count = most
      else
        call c_f_pointer(address_of(values, values%value(i)%place), stated)
        values%value(i)%count = stated
        found = values%value(i)%count
        expected = most
        if (found < 0 .or. found > most) return
        found = values%size
      end if
      end = values%value(i)%begin + values%value(i)%count * values%value(i)%size
      expected = end
    end do
    find = values%last == 0 .or. end == values%size
  end function

  ! Finds the values of a message or an answer that is to be made, and its size; false: it is too large.
  logical function arranged(values)
    type(tc_values), intent(inout) :: values
    integer :: i
    arranged = .true.
    values%size = values%fixed
    do i = 1, values%values
      if (.not. values%value(i)%varies) cycle
      values%value(i)%begin = rounded(values%size, values%value(i)%alignment)
      arranged = arranged .and. values%value(i)%count >= 0 .and. &
                 values%value(i)%count <= (bytes_max - min(values%value(i)%begin, bytes_max)) / values%value(i)%size
      if (.not. arranged) return
      values%size = values%value(i)%begin + values%value(i)%count * values%value(i)%size
    end do
  end function

  ! Clears the memory, and writes the numbers of elements.
  subroutine begin(values)
    type(tc_values), intent(inout) :: values
    type(c_ptr) :: memory
    integer(c_int64_t), pointer :: count
    integer :: i
    memory = c_memset(values%memory, 0_c_int, int(values%size, c_size_t))
    do i = 1, values%values
      if (.not. values%value(i)%varies .or. i == values%last) cycle
      call c_f_pointer(address_of(values, values%value(i)%place), count)
      count = values%value(i)%count
    end do
  end subroutine

  ! --- at the function ------------------------------------------------------------------------------------------

  ! Ends the message with a text: words, and two numbers.
  subroutine refuse(first, found, second, expected)
    character(kind=c_char, len=*), intent(in) :: first, second
    integer(c_int64_t), intent(in) :: found, expected
    character(kind=c_char) :: text(192)
    integer :: used
    used = 0
    call append(first, len(first))
    call append_number(found)
    call append(second, len(second))
    call append_number(expected)
    text(used + 1) = c_null_char
    call tc_self_fail(invalid, text)
  contains
    subroutine append(words, length)
      integer, intent(in) :: length
      character(kind=c_char), intent(in) :: words(length)
      integer :: i
      do i = 1, length
        used = used + 1
        text(used) = words(i)
      end do
    end subroutine
    subroutine append_number(given)
      integer(c_int64_t), intent(in) :: given
      integer(c_int64_t) :: rest, unit
      if (given < 0) then ! a u64 of 2^63 or more
        call append("2^63 or more", 12)
        return
      end if
      unit = 1
      do while (given / unit > 9)
        unit = unit * 10
      end do
      rest = given
      do while (unit > 0)
        used = used + 1
        text(used) = achar(iachar('0') + int(rest / unit), kind=c_char)
        rest = mod(rest, unit)
        unit = unit / 10
      end do
    end subroutine
  end subroutine

  ! Finds the values of a function's message. False: the message does not fit, and has failed; the function returns.
  logical function tc_message(message, answer, payload, payload_size, prototype)
    type(tc_values), intent(inout) :: message, answer
    type(c_ptr), intent(in) :: payload
    integer(c_size_t), intent(in) :: payload_size
    character(kind=c_char), intent(in) :: prototype(*)
    integer(c_int64_t) :: found, expected
    call read_prototype(prototype, message, answer, tc_message)
    if (.not. tc_message) then
      call tc_self_fail(invalid, "the function's own text is no prototype" // c_null_char)
      return
    end if
    message%memory = payload
    message%size = payload_size
    tc_message = find(message, found, expected)
    if (.not. tc_message) call refuse("the message has the number ", found, " of bytes or elements, expected ", expected)
  end function

  ! The elements of an answer, by those of its message.
  subroutine count_answer(answer, message, elements)
    type(tc_values), intent(inout) :: answer
    type(tc_values), intent(in) :: message
    integer(c_size_t), intent(in), optional :: elements
    integer(c_int64_t), pointer :: capacity
    integer :: i, origin
    do i = 1, answer%values
      origin = answer%value(i)%origin
      if (.not. answer%value(i)%varies) cycle
      if (origin == 0) then
        answer%value(i)%count = 0
        if (present(elements)) answer%value(i)%count = elements
      else if (answer%value(i)%is_changed) then
        answer%value(i)%count = message%value(origin)%count
      else
        call c_f_pointer(address_of(message, message%value(origin)%place), capacity)
        answer%value(i)%count = capacity
      end if
    end do
  end subroutine

  ! Lays out the answer of a message: what comes back is copied, all else is zero. `elements`: of a result that varies. False: it
  ! cannot be, and the message has failed.
  logical function tc_answer(answer, message, elements)
    type(tc_values), intent(inout) :: answer, message
    integer(c_size_t), intent(in), optional :: elements
    integer(c_int) :: status
    call count_answer(answer, message, elements)
    tc_answer = message%fits
    if (.not. tc_answer) return
    tc_answer = arranged(answer)
    if (.not. tc_answer) then
      call refuse("the answer has ", answer%size, " bytes or more, expected at most ", bytes_max)
      return
    end if
    status = tc_reply_begin(int(answer%size, c_size_t), answer%memory)
    answer%is_call = status /= not_found
    if (.not. answer%is_call) answer%memory = c_malloc(int(answer%size + 1, c_size_t))
    tc_answer = (status == 0 .or. .not. answer%is_call) .and. c_associated(answer%memory)
    if (.not. tc_answer) then
      call refuse("no memory for an answer of ", answer%size, " bytes, status -", int(-status, c_int64_t))
      return
    end if
    call begin(answer)
    call copy_changed(answer, message)
  end function

  subroutine copy_changed(answer, message)
    type(tc_values), intent(in) :: answer, message
    type(c_ptr) :: to
    integer :: i
    do i = 1, answer%values
      if (.not. answer%value(i)%is_changed) cycle
      to = c_memcpy(address_of(answer, start(answer%value(i))), &
                    address_of(message, start(message%value(answer%value(i)%origin))), &
                    int(extent(answer%value(i)), c_size_t))
    end do
  end subroutine

  pure integer(c_int64_t) function start(v)
    type(tc_value), intent(in) :: v
    start = merge(v%begin, v%place, v%varies)
  end function

  pure integer(c_int64_t) function extent(v)
    type(tc_value), intent(in) :: v
    extent = v%size * merge(v%count, v%elements, v%varies)
  end function

  ! Answers the call, if the message is one.
  subroutine tc_reply_with(answer)
    type(tc_values), intent(inout) :: answer
    integer(c_int) :: status
    if (answer%is_call) then
      status = tc_reply_commit(int(answer%size, c_size_t))
    else
      call c_free(answer%memory)
    end if
  end subroutine

  ! --- value by value -------------------------------------------------------------------------------------------

  ! The next value's address and number of elements. A value of another type makes the whole not fit, and has no elements.
  subroutine next_of(values, letter, bytes, is_array, address, count)
    type(tc_values), intent(inout) :: values
    character(kind=c_char), intent(in) :: letter
    integer, intent(in) :: bytes
    logical, intent(in) :: is_array
    type(c_ptr), intent(out) :: address
    integer(c_size_t), intent(out) :: count
    logical :: ok
    type(tc_value) :: v
    values%taken = values%taken + 1
    ok = values%fits .and. values%taken <= values%values
    if (ok) then
      v = values%value(values%taken)
      ok = fits_type(v, iachar(letter), bytes) .and. (is_array .eqv. (v%varies .or. v%elements > 1))
    end if
    if (.not. ok) then
      values%fits = .false.
      call refuse("the function takes value ", int(values%taken, c_int64_t), &
                  " as another type than its prototype states, of so many bytes: ", int(bytes, c_int64_t))
      address = c_loc(nothing)
      count = 0
      return
    end if
    address = address_of(values, start(v))
    count = extent(v) / v%size
    if (v%letter == iachar('b')) call check_bools(values, address, count)
  end subroutine

  pure logical function fits_type(v, letter, bytes)
    type(tc_value), intent(in) :: v
    integer, intent(in) :: letter, bytes
    integer :: own
    own = v%letter
    if (own == iachar('u')) own = iachar('i')  ! Fortran has no unsigned numbers
    if (own == iachar('?')) own = iachar('{')
    if (own == iachar('t')) own = merge(letter, 0, letter == iachar('i') .or. letter == iachar('t'))
    if (letter == iachar('t') .and. own == iachar('i')) own = letter ! bytes as letters
    fits_type = own == letter .and. v%size == bytes
  end function

  subroutine check_bools(values, address, count)
    type(tc_values), intent(inout) :: values
    type(c_ptr), intent(in) :: address
    integer(c_size_t), intent(in) :: count
    integer(c_int8_t), pointer :: bytes(:)
    integer(c_size_t) :: i
    call c_f_pointer(address, bytes, [count])
    do i = 1, count
      if ((bytes(i) == 0 .or. bytes(i) == 1) .or. .not. values%fits) cycle
      values%fits = .false.
      call refuse("a bool is ", iand(int(bytes(i), c_int64_t), 255_c_int64_t), ", expected at most ", 1_c_int64_t)
    end do
  end subroutine

  ! The address of a struct, for c_f_pointer to a type of bind(C) with so many bytes.
  subroutine tc_next_struct(values, bytes, address)
    type(tc_values), intent(inout) :: values
    integer, intent(in) :: bytes
    type(c_ptr), intent(out) :: address
    integer(c_size_t) :: count
    call next_of(values, '{', bytes, .false., address, count)
  end subroutine

  subroutine tc_next_structs(values, bytes, address, count)
    type(tc_values), intent(inout) :: values
    integer, intent(in) :: bytes
    type(c_ptr), intent(out) :: address
    integer(c_size_t), intent(out) :: count
    call next_of(values, '{', bytes, .true., address, count)
  end subroutine

  subroutine next_i8(values, found)
    type(tc_values), intent(inout) :: values
    integer(c_int8_t), pointer, intent(out) :: found
    type(c_ptr) :: address
    integer(c_size_t) :: count
    call next_of(values, 'i', 1, .false., address, count)
    call c_f_pointer(address, found)
  end subroutine

  subroutine next_i16(values, found)
    type(tc_values), intent(inout) :: values
    integer(c_int16_t), pointer, intent(out) :: found
    type(c_ptr) :: address
    integer(c_size_t) :: count
    call next_of(values, 'i', 2, .false., address, count)
    call c_f_pointer(address, found)
  end subroutine

  subroutine next_i32(values, found)
    type(tc_values), intent(inout) :: values
    integer(c_int32_t), pointer, intent(out) :: found
    type(c_ptr) :: address
    integer(c_size_t) :: count
    call next_of(values, 'i', 4, .false., address, count)
    call c_f_pointer(address, found)
  end subroutine

  subroutine next_i64(values, found)
    type(tc_values), intent(inout) :: values
    integer(c_int64_t), pointer, intent(out) :: found
    type(c_ptr) :: address
    integer(c_size_t) :: count
    call next_of(values, 'i', 8, .false., address, count)
    call c_f_pointer(address, found)
  end subroutine

  subroutine next_f32(values, found)
    type(tc_values), intent(inout) :: values
    real(c_float), pointer, intent(out) :: found
    type(c_ptr) :: address
    integer(c_size_t) :: count
    call next_of(values, 'f', 4, .false., address, count)
    call c_f_pointer(address, found)
  end subroutine

  subroutine next_f64(values, found)
    type(tc_values), intent(inout) :: values
    real(c_double), pointer, intent(out) :: found
    type(c_ptr) :: address
    integer(c_size_t) :: count
    call next_of(values, 'f', 8, .false., address, count)
    call c_f_pointer(address, found)
  end subroutine

  subroutine next_bool(values, found)
    type(tc_values), intent(inout) :: values
    logical(c_bool), pointer, intent(out) :: found
    type(c_ptr) :: address
    integer(c_size_t) :: count
    call next_of(values, 'b', 1, .false., address, count)
    call c_f_pointer(address, found)
  end subroutine

  subroutine next_i8s(values, found)
    type(tc_values), intent(inout) :: values
    integer(c_int8_t), pointer, intent(out) :: found(:)
    type(c_ptr) :: address
    integer(c_size_t) :: count
    call next_of(values, 'i', 1, .true., address, count)
    call c_f_pointer(address, found, [count])
  end subroutine

  subroutine next_i16s(values, found)
    type(tc_values), intent(inout) :: values
    integer(c_int16_t), pointer, intent(out) :: found(:)
    type(c_ptr) :: address
    integer(c_size_t) :: count
    call next_of(values, 'i', 2, .true., address, count)
    call c_f_pointer(address, found, [count])
  end subroutine

  subroutine next_i32s(values, found)
    type(tc_values), intent(inout) :: values
    integer(c_int32_t), pointer, intent(out) :: found(:)
    type(c_ptr) :: address
    integer(c_size_t) :: count
    call next_of(values, 'i', 4, .true., address, count)
    call c_f_pointer(address, found, [count])
  end subroutine

  subroutine next_i64s(values, found)
    type(tc_values), intent(inout) :: values
    integer(c_int64_t), pointer, intent(out) :: found(:)
    type(c_ptr) :: address
    integer(c_size_t) :: count
    call next_of(values, 'i', 8, .true., address, count)
    call c_f_pointer(address, found, [count])
  end subroutine

  subroutine next_f32s(values, found)
    type(tc_values), intent(inout) :: values
    real(c_float), pointer, intent(out) :: found(:)
    type(c_ptr) :: address
    integer(c_size_t) :: count
    call next_of(values, 'f', 4, .true., address, count)
    call c_f_pointer(address, found, [count])
  end subroutine

  subroutine next_f64s(values, found)
    type(tc_values), intent(inout) :: values
    real(c_double), pointer, intent(out) :: found(:)
    type(c_ptr) :: address
    integer(c_size_t) :: count
    call next_of(values, 'f', 8, .true., address, count)
    call c_f_pointer(address, found, [count])
  end subroutine

  subroutine next_bools(values, found)
    type(tc_values), intent(inout) :: values
    logical(c_bool), pointer, intent(out) :: found(:)
    type(c_ptr) :: address
    integer(c_size_t) :: count
    call next_of(values, 'b', 1, .true., address, count)
    call c_f_pointer(address, found, [count])
  end subroutine

  subroutine next_text(values, found)
    type(tc_values), intent(inout) :: values
    character(kind=c_char), pointer, intent(out) :: found(:)
    type(c_ptr) :: address
    integer(c_size_t) :: count
    call next_of(values, 't', 1, .true., address, count)
    call c_f_pointer(address, found, [count])
  end subroutine

  ! --- at the caller --------------------------------------------------------------------------------------------

  ! Lays out a message with so many elements in its varying values, in memory of the caller's own, which has to be freed, and finds
  ! the bytes that the answer may have. False: the text is no prototype, or it is too large.
  logical function tc_lay_out(message, answer, prototype, counts)
    type(tc_values), intent(inout) :: message, answer
    character(kind=c_char), intent(in) :: prototype(*)
    integer(c_size_t), intent(in) :: counts(:)
    integer :: i, varying
    call read_prototype(prototype, message, answer, tc_lay_out)
    varying = 0
    do i = 1, message%values
      if (message%value(i)%varies) varying = varying + 1
      if (message%value(i)%varies .and. varying <= size(counts)) message%value(i)%count = int(counts(varying), c_int64_t)
    end do
    tc_lay_out = tc_lay_out .and. varying == size(counts)
    if (tc_lay_out) tc_lay_out = arranged(message)
    if (.not. tc_lay_out) return
    message%memory = c_malloc(int(message%size + 1, c_size_t))
    tc_lay_out = c_associated(message%memory)
    if (tc_lay_out) call begin(message)
  end function

  ! Has memory for the answer of a message whose values are written; an array that is the result has at most `elements`.
  logical function tc_expect(answer, message, elements)
    type(tc_values), intent(inout) :: answer
    type(tc_values), intent(in) :: message
    integer(c_size_t), intent(in), optional :: elements
    call count_answer(answer, message, elements)
    answer%memory = c_null_ptr
    tc_expect = message%fits
    if (tc_expect) tc_expect = arranged(answer)
    if (tc_expect) answer%memory = c_malloc(int(answer%size + 1, c_size_t))
    tc_expect = c_associated(answer%memory)
  end function

  ! Finds the values of an answer of so many bytes. False: it does not fit, or an array has more elements than were expected, or
  ! another number than it had in the message.
  logical function tc_read(answer, bytes)
    type(tc_values), intent(inout) :: answer
    integer(c_int64_t), intent(in) :: bytes
    integer(c_int64_t) :: found, expected, asked(values_max)
    integer :: i
    do i = 1, answer%values
      asked(i) = answer%value(i)%count
    end do
    answer%size = bytes
    tc_read = find(answer, found, expected)
    do i = 1, answer%values
      tc_read = tc_read .and. answer%value(i)%count <= asked(i) .and. &
                (answer%value(i)%count == asked(i) .or. .not. answer%value(i)%is_changed)
    end do
  end function
end module
