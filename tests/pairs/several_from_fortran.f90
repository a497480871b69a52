! Calls the functions of several.h of every language.
!   several_from_fortran SEVERAL.TXT ADDRESS LANGUAGE...     functions are found by TC_IFUNC_PATH
include 'tchains.f90'

module callers
  use, intrinsic :: iso_c_binding
  use tchains
  implicit none
  integer(c_int64_t), parameter :: soon = 30000000000_c_int64_t
  type, bind(C) :: tally_type
    real(c_double) :: sum
    integer(c_int32_t) :: count
  end type
  type(c_ptr) :: context, ep
  character(256) :: file
  type(tc_error) :: err

contains

  subroutine require(holds, name)
    logical, intent(in) :: holds
    character(*), intent(in) :: name
    if (holds) return
    print '(3a)', "Fortran: ", name, ": " // tc_error_text(err)
    error stop 1
  end subroutine

  ! Compares a message with the file's.
  subroutine compare(message, name)
    type(tc_values), intent(in) :: message
    character(*), intent(in) :: name
    integer(c_int8_t), pointer :: bytes(:)
    character(1024) :: line
    character(2) :: digits
    integer :: unit, status, i, at
    open (newunit=unit, file=file, action="read")
    do
      read (unit, '(a)', iostat=status) line
      call require(status == 0, name // ": not in the file")
      if (line(:len(name) + 1) == name // " ") exit
    end do
    close (unit)
    call c_f_pointer(message%memory, bytes, [message%size])
    at = len(name) + 2
    call require(len_trim(line(at:)) == 2 * size(bytes), name // ": another size than in the file")
    do i = 1, size(bytes)
      write (digits, '(z2.2)') iand(int(bytes(i)), 255)
      call lower(digits)
      call require(line(at:at + 1) == digits, name // ": other bytes than in the file")
      at = at + 2
    end do
  end subroutine

  subroutine lower(digits)
    character(2), intent(inout) :: digits
    integer :: i
    do i = 1, 2
      if (digits(i:i) >= 'A') digits(i:i) = achar(iachar(digits(i:i)) + 32)
    end do
  end subroutine

  subroutine open_function(name, language, prototype, function)
    character(*), intent(in) :: name, language, prototype
    type(tc_function), intent(out) :: function
    integer(c_int) :: status
    status = tc_open_typed(context, name // "_" // language // c_null_char, prototype // c_null_char, function, err)
    call require(status == tc_ok, name // " of " // language)
  end subroutine

  subroutine refuse(name, language, prototype)
    character(*), intent(in) :: name, language, prototype
    type(tc_function) :: function
    integer(c_int) :: status
    status = tc_open_typed(context, name // "_" // language // c_null_char, prototype // c_null_char, function, err)
    call require(status == tc_e_version .and. index(tc_error_text(err), prototype) > 0, name // " agrees with " // prototype)
  end subroutine

  subroutine set_text(values, text)
    type(tc_values), intent(inout) :: values
    character(*), intent(in) :: text
    character(kind=c_char), pointer :: letters(:)
    integer :: i
    call tc_next(values, letters)
    do i = 1, len(text)
      letters(i) = text(i:i)
    end do
  end subroutine

  subroutine blend(language)
    character(*), intent(in) :: language
    type(tc_function) :: function
    type(tc_values) :: message, answer
    type(c_ptr) :: address
    type(tally_type), pointer :: tally
    real(c_double), pointer :: limits(:), a(:), total
    real(c_float), pointer :: values(:)
    integer(c_int32_t), pointer :: codes(:)
    integer(c_int64_t), pointer :: capacity
    logical(c_bool), pointer :: twice
    call open_function("blend", language, "({f64,f64},text,f64[],inout f32[],out {f64,i32},out i32[],bool)->f64", function)
    call require(tc_lay_out(message, answer, function%prototype, [5_c_size_t, 5_c_size_t, 3_c_size_t]), "blend's message")
    call tc_next_struct(message, 16, address)
    call c_f_pointer(address, limits, [2])
    limits = [1.5_c_double, 4.0_c_double]
    call set_text(message, "h" // char(195) // char(169) // char(195) // char(169))
    call tc_next(message, a)
    a = [1, 2, 3, 4, 5]
    call tc_next(message, values)
    values = [1.5, 2.25, -1.0]
    call tc_next(message, capacity)
    capacity = 6
    call tc_next(message, twice)
    twice = .true._c_bool
    call compare(message, "blend")
    call require(tc_call_with(ep, function, message, answer, soon, err) == tc_ok, "blend of " // language)
    call tc_next(answer, total)
    call tc_next(answer, values)
    call tc_next_struct(answer, 16, address)
    call c_f_pointer(address, tally)
    call tc_next(answer, codes)
    call require(total == 9 .and. all(values == [3.0, 4.5, -2.0]), "another answer of blend of " // language)
    call require(tally%sum == 2.75 .and. tally%count == 5, "another tally of blend of " // language)
    call require(size(codes) == 6 .and. all(codes == [104, 195, 169, 195, 169, -1]), "other codes of blend of " // language)
    call tc_free(message, answer)
    call tc_close_typed(function)
  end subroutine

  subroutine blend_none(language)
    character(*), intent(in) :: language
    type(tc_function) :: function
    type(tc_values) :: message, answer
    real(c_double), pointer :: total
    call open_function("blend", language, "({f64,f64},text,f64[],inout f32[],out {f64,i32},out i32[],bool)->f64", function)
    call require(tc_lay_out(message, answer, function%prototype, [0_c_size_t, 0_c_size_t, 0_c_size_t]), "blend_none's message")
    call compare(message, "blend_none")
    call require(tc_call_with(ep, function, message, answer, soon, err) == tc_ok, "blend of none of " // language)
    call tc_next(answer, total)
    call require(total == 0, "another answer of blend of none of " // language)
    call tc_free(message, answer)
    call tc_close_typed(function)
  end subroutine

  ! Answers that lie are none.
  subroutine call_a_liar()
    type(tc_function) :: function
    type(tc_values) :: message, answer
    type(c_ptr) :: address
    real(c_double), pointer :: a(:)
    real(c_float), pointer :: values(:)
    integer(c_int64_t), pointer :: capacity
    character(kind=c_char), pointer :: name(:)
    integer(c_int64_t) :: lie
    call open_function("blend", "liar", "({f64,f64},text,f64[],inout f32[],out {f64,i32},out i32[],bool)->f64", function)
    do lie = 1, 4
      call require(tc_lay_out(message, answer, function%prototype, [0_c_size_t, 0_c_size_t, 3_c_size_t]), "a message for a liar")
      call tc_next_struct(message, 16, address)
      call tc_next(message, name)
      call tc_next(message, a)
      call tc_next(message, values)
      call tc_next(message, capacity)
      capacity = lie
      call require(tc_call_with(ep, function, message, answer, soon, err) == tc_e_corrupt, "an answer that lies was taken")
      call tc_free(message, answer)
    end do
    call tc_close_typed(function)
  end subroutine

  ! Texts that are no prototype, and numbers of elements that do not fit one.
  subroutine refuse_texts()
    type(tc_values) :: message, answer
    character(24) :: texts(9)
    integer :: i
    texts = [character(24) :: "(", "(f64", "(?8:0)", "(?8)", "({f64)", "(f64)->", "(f64[0])", "({{{{{{{{{f64}}}}}}}}})", "(f64)x"]
    do i = 1, size(texts)
      call require(.not. tc_lay_out(message, answer, trim(texts(i)) // c_null_char, [integer(c_size_t) ::]), texts(i))
    end do
    call require(.not. tc_lay_out(message, answer, "(f64[])" // c_null_char, [integer(c_size_t) ::]), "no number of elements")
    call require(.not. tc_lay_out(message, answer, "(f64[])" // c_null_char, [2_c_size_t**40]), "too many elements")
  end subroutine

  subroutine gather(language)
    character(*), intent(in) :: language
    type(tc_function) :: function
    type(tc_values) :: message, answer
    type(c_ptr) :: address
    integer(c_int16_t), pointer :: which(:), points(:, :)
    integer(c_int8_t), pointer :: factor
    integer(c_int64_t), pointer :: capacity
    integer(c_size_t) :: count
    call open_function("gather", language, "(u16[],u8,{i16,i16}[],out {i16,i16}[])", function)
    call require(tc_lay_out(message, answer, function%prototype, [3_c_size_t, 3_c_size_t]), "gather's message")
    call tc_next(message, which)
    which = [2_c_int16_t, 0_c_int16_t, 7_c_int16_t]
    call tc_next(message, factor)
    factor = 3
    call tc_next_structs(message, 4, address, count)
    call c_f_pointer(address, points, [2_c_size_t, count])
    points = reshape([1_c_int16_t, -2_c_int16_t, 3_c_int16_t, 4_c_int16_t, -5_c_int16_t, 6_c_int16_t], [2, 3])
    call tc_next(message, capacity)
    capacity = 4
    call compare(message, "gather")
    call require(tc_call_with(ep, function, message, answer, soon, err) == tc_ok, "gather of " // language)
    call tc_next_structs(answer, 4, address, count)
    call c_f_pointer(address, points, [2_c_size_t, count])
    call require(count == 4 .and. all(reshape(points, [8]) == [-15, 18, 3, -6, 0, 0, 0, 0]), &
                 "another answer of gather of " // language)
    call tc_free(message, answer)
    call tc_close_typed(function)
  end subroutine

  subroutine join(language)
    character(*), intent(in) :: language
    type(tc_function) :: function
    type(tc_values) :: message, answer
    integer(c_int8_t), pointer :: both(:)
    integer(c_int64_t), pointer :: capacity
    logical(c_bool), pointer :: swapped
    call open_function("join", language, "(text,text,out u8[],bool)", function)
    call require(tc_lay_out(message, answer, function%prototype, [4_c_size_t, 2_c_size_t]), "join's message")
    call set_text(message, "a" // char(195) // char(177) // "b")
    call set_text(message, "cd")
    call tc_next(message, capacity)
    capacity = 8
    call tc_next(message, swapped)
    swapped = .true._c_bool
    call compare(message, "join")
    call require(tc_call_with(ep, function, message, answer, soon, err) == tc_ok, "join of " // language)
    call tc_next(answer, both)
    call require(size(both) == 8 .and. all(iand(int(both), 255) == [99, 100, 97, 195, 177, 98, 0, 0]), &
                 "another answer of join of " // language)
    call tc_free(message, answer)
    call tc_close_typed(function)
  end subroutine
end module

program several_from_fortran
  use callers
  character(64) :: word
  integer :: i
  call get_command_argument(1, file)
  call require(tc_context_create(context, err) == tc_ok, "a context")
  call get_command_argument(2, word)
  call require(tc_ep_connect(context, trim(word) // c_null_char, 2 * soon, ep, err) == tc_ok, "the node")
  do i = 3, command_argument_count()
    call get_command_argument(i, word)
    call blend(trim(word))
    call blend_none(trim(word))
    call gather(trim(word))
    call join(trim(word))
    call refuse("blend", trim(word), "({f64,f64},text,f64[],inout f32[],out {f64,i32},out u32[],bool)->f64")
    call refuse("gather", trim(word), "(i16[],u8,{i16,i16}[],out {i16,i16}[])")
    call refuse("join", trim(word), "(text,u16[],out u8[],bool)")
  end do
  call call_a_liar()
  call refuse_texts()
  call tc_context_destroy(context)
end program
