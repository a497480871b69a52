! Programs in Fortran that call functions in any language: a context, an endpoint, functions with a prototype.
!
!   status = tc_context_create(context, err)
!   status = tc_ep_connect(context, "127.0.0.1:7000" // c_null_char, timeout, ep, err)
!   status = tc_open_typed(context, "scaled" // c_null_char, "(f64[],f64)->f64" // c_null_char, scaled, err)
!   if (.not. tc_lay_out(message, answer, scaled%prototype, [3_c_size_t])) stop 1
!   call tc_next(message, numbers)       ! pointers into the message, value by value
!   call tc_next(message, factor)
!   numbers = [1, 2, 3]
!   factor = 2
!   status = tc_call_with(ep, scaled, message, answer, timeout, err)
!   call tc_next(answer, total)          ! pointers into the answer, until tc_free
!   call tc_free(message, answer)
!
! Statuses are those of tc/status.h, 0 without a failure; `err` has the text of one. The values are those of
! tchains_values.f90, which this file includes.
include 'tchains_values.f90'

module tchains
  use, intrinsic :: iso_c_binding
  use tchains_values
  implicit none
  private
  public :: tc_values, tc_next, tc_next_struct, tc_next_structs, tc_lay_out
  public :: tc_error, tc_function, tc_context_create, tc_context_destroy, tc_ep_connect, tc_ep_close, tc_open_typed, &
            tc_close_typed, tc_call_with, tc_free, tc_ok, tc_e_corrupt, tc_e_version, tc_error_text, tc_hole, tc_fill

  integer(c_int), parameter :: tc_ok = 0, tc_e_no_memory = -4, tc_e_corrupt = -7, tc_e_version = -8
  integer(c_int32_t), parameter :: version = 256 ! TC_VERSION_NUMBER of the headers that this was written for

  type, bind(C) :: tc_error
    integer(c_int) :: status
    character(kind=c_char) :: text(1024)
  end type

  ! A function, and the prototype by which the program calls it. The library keeps the text's address.
  type :: tc_function
    type(c_ptr) :: handle
    type(c_ptr) :: memory
    character(kind=c_char) :: prototype(tc_prototype_max)
  end type

  ! A value for a hole, which has the hole's type: tc_hole("slope", 2.5_c_double).
  type :: tc_hole
    private
    character(kind=c_char) :: name(64) = c_null_char
    integer(c_int8_t) :: bytes(8) = 0
    integer(c_size_t) :: size = 0
    integer(c_int) :: kind = 0
  end type

  interface tc_hole
    procedure hole_of
  end interface

  type, bind(C) :: hole_value ! tc_hole_value
    type(c_ptr) :: name, value
    integer(c_size_t) :: size
    integer(c_int) :: kind
  end type

  interface
    integer(c_int) function tc_ifunc_fill_sized(function, values, count, value_size, filled, err) bind(C)
      import :: c_int, c_size_t, c_ptr, tc_error, hole_value
      type(c_ptr), value :: function
      type(hole_value), intent(in) :: values(*)
      integer(c_size_t), value :: count, value_size
      type(c_ptr), intent(out) :: filled
      type(tc_error), intent(inout) :: err
    end function
    integer(c_int) function tc_context_create_for(version, options, context, err) bind(C)
      import :: c_int, c_int32_t, c_ptr, tc_error
      integer(c_int32_t), value :: version
      type(c_ptr), value :: options
      type(c_ptr), intent(out) :: context
      type(tc_error), intent(inout) :: err
    end function
    subroutine tc_context_destroy(context) bind(C)
      import :: c_ptr
      type(c_ptr), value :: context
    end subroutine
    ! host_port: "127.0.0.1:7000" with a zero behind it. timeout: nanoseconds.
    integer(c_int) function tc_ep_connect(context, host_port, timeout, ep, err) bind(C)
      import :: c_int, c_int64_t, c_char, c_ptr, tc_error
      type(c_ptr), value :: context
      character(kind=c_char), intent(in) :: host_port(*)
      integer(c_int64_t), value :: timeout
      type(c_ptr), intent(out) :: ep
      type(tc_error), intent(inout) :: err
    end function
    subroutine tc_ep_close(ep) bind(C)
      import :: c_ptr
      type(c_ptr), value :: ep
    end subroutine
    integer(c_int) function tc_ifunc_open(context, name, function, err) bind(C)
      import :: c_int, c_char, c_ptr, tc_error
      type(c_ptr), value :: context
      character(kind=c_char), intent(in) :: name(*)
      type(c_ptr), intent(out) :: function
      type(tc_error), intent(inout) :: err
    end function
    subroutine tc_ifunc_close(function) bind(C)
      import :: c_ptr
      type(c_ptr), value :: function
    end subroutine
    integer(c_int) function tc_ifunc_check_prototype(function, prototype, err) bind(C)
      import :: c_int, c_ptr, tc_error
      type(c_ptr), value :: function, prototype
      type(tc_error), intent(inout) :: err
    end function
    integer(c_int) function tc_call(ep, function, payload, bytes, result, result_bytes, timeout, err) bind(C)
      import :: c_int, c_int64_t, c_size_t, c_ptr, tc_error
      type(c_ptr), value :: ep, function, payload, result
      integer(c_size_t), value :: bytes
      integer(c_size_t), intent(inout) :: result_bytes
      integer(c_int64_t), value :: timeout
      type(tc_error), intent(inout) :: err
    end function
    type(c_ptr) function c_malloc(bytes) bind(C, name="malloc")
      import :: c_ptr, c_size_t
      integer(c_size_t), value :: bytes
    end function
    subroutine c_free(memory) bind(C, name="free")
      import :: c_ptr
      type(c_ptr), value :: memory
    end subroutine
  end interface

contains

  ! A context with the options of the environment.
  integer(c_int) function tc_context_create(context, err)
    type(c_ptr), intent(out) :: context
    type(tc_error), intent(inout) :: err
    tc_context_create = tc_context_create_for(version, c_null_ptr, context, err)
  end function

  ! Opens a function by its name, and compares the prototype by which the program calls it: tc_e_version, and the
  ! text has both, where they differ.
  integer(c_int) function tc_open_typed(context, name, prototype, function, err)
    type(c_ptr), intent(in) :: context
    character(kind=c_char), intent(in) :: name(*), prototype(*)
    type(tc_function), intent(inout) :: function
    type(tc_error), intent(inout) :: err
    character(kind=c_char), pointer :: kept(:)
    integer :: i
    tc_open_typed = tc_ifunc_open(context, name, function%handle, err)
    if (tc_open_typed /= tc_ok) return
    function%memory = c_malloc(int(tc_prototype_max, c_size_t))
    if (.not. c_associated(function%memory)) then
      call tc_ifunc_close(function%handle)
      call set_error(err, tc_e_no_memory, "no memory for a prototype" // c_null_char)
      tc_open_typed = tc_e_no_memory
      return
    end if
    call c_f_pointer(function%memory, kept, [tc_prototype_max])
    function%prototype = c_null_char
    do i = 1, tc_prototype_max - 1
      if (prototype(i) == c_null_char) exit
      function%prototype(i) = prototype(i)
    end do
    kept = function%prototype
    tc_open_typed = tc_ifunc_check_prototype(function%handle, function%memory, err)
    if (tc_open_typed /= tc_ok) call tc_close_typed(function)
  end function

  type(tc_hole) function hole_of(name, value) result(hole)
    character(kind=c_char, len=*), intent(in) :: name
    class(*), intent(in) :: value ! of another type than these: no bytes, which tc_fill refuses
    integer :: i
    do i = 1, min(len_trim(name), size(hole%name) - 1)
      hole%name(i) = name(i:i)
    end do
    select type (value)
    type is (integer(c_int32_t)); call set_hole(hole, transfer(value, [0_c_int8_t]), 1)
    type is (integer(c_int64_t)); call set_hole(hole, transfer(value, [0_c_int8_t]), 1)
    type is (real(c_float)); call set_hole(hole, transfer(value, [0_c_int8_t]), 2)
    type is (real(c_double)); call set_hole(hole, transfer(value, [0_c_int8_t]), 2)
    end select
  end function

  subroutine set_hole(hole, bytes, kind)
    type(tc_hole), intent(inout) :: hole
    integer(c_int8_t), intent(in) :: bytes(:)
    integer, intent(in) :: kind
    hole%bytes(:size(bytes)) = bytes
    hole%size = size(bytes)
    hole%kind = kind
  end subroutine

  ! The function with its holes set, a function of its own with the same prototype: tc_ifunc_fill. The text of a failure has
  ! the hole, and both sizes or kinds.
  integer(c_int) function tc_fill(function, holes, filled, err)
    type(tc_function), intent(in) :: function
    type(tc_hole), intent(in), target :: holes(:)
    type(tc_function), intent(inout) :: filled
    type(tc_error), intent(inout) :: err
    type(hole_value) :: values(size(holes))
    type(c_ptr) :: made
    integer :: i
    do i = 1, size(holes)
      values(i) = hole_value(c_loc(holes(i)%name), c_loc(holes(i)%bytes), holes(i)%size, holes(i)%kind)
    end do
    tc_fill = tc_ifunc_fill_sized(function%handle, values, int(size(holes), c_size_t), c_sizeof(hole_value(c_null_ptr, &
                                  c_null_ptr, 0, 0)), made, err)
    if (tc_fill /= tc_ok) return
    filled = function
    filled%handle = made
  end function

  subroutine tc_close_typed(function)
    type(tc_function), intent(inout) :: function
    call tc_ifunc_close(function%handle)
    ! Other references to the function may have the text's address, so the text stays.
    function%handle = c_null_ptr
  end subroutine

  ! Calls the function with the message, which tc_lay_out made with `answer`, and blocks. Arrays of the answer have as many
  ! elements as the function gave; tc_e_corrupt: they fit no answer, or are more than the message asked for.
  integer(c_int) function tc_call_with(ep, function, message, answer, timeout, err)
    type(c_ptr), intent(in) :: ep
    type(tc_function), intent(in) :: function
    type(tc_values), intent(inout) :: message, answer
    integer(c_int64_t), intent(in) :: timeout
    type(tc_error), intent(inout) :: err
    integer(c_size_t) :: bytes
    tc_call_with = tc_e_no_memory
    if (.not. tc_expect(answer, message)) then
      call set_error(err, tc_e_no_memory, "no memory for the answer, or it is too large" // c_null_char)
      return
    end if
    bytes = int(answer%size, c_size_t)
    tc_call_with = tc_call(ep, function%handle, message%memory, int(message%size, c_size_t), answer%memory, bytes, timeout, err)
    if (tc_call_with /= tc_ok) return
    if (tc_read(answer, int(bytes, c_int64_t))) return
    tc_call_with = tc_e_corrupt
    call set_error(err, tc_e_corrupt, "the answer does not fit its prototype" // c_null_char)
  end function

  ! Frees the memory of a message and of its answer, to which pointers may have been set.
  subroutine tc_free(message, answer)
    type(tc_values), intent(inout) :: message, answer
    call c_free(message%memory)
    call c_free(answer%memory)
    message%memory = c_null_ptr
    answer%memory = c_null_ptr
  end subroutine

  subroutine set_error(err, status, text)
    type(tc_error), intent(inout) :: err
    integer(c_int), intent(in) :: status
    character(kind=c_char), intent(in) :: text(*)
    integer :: i
    err%status = status
    do i = 1, size(err%text)
      err%text(i) = text(i)
      if (text(i) == c_null_char) exit
    end do
  end subroutine

  ! The text of an error.
  function tc_error_text(err) result(text)
    type(tc_error), intent(in) :: err
    character(:), allocatable :: text
    integer :: i, length
    length = 0
    do while (length < size(err%text) .and. err%text(length + 1) /= c_null_char)
      length = length + 1
    end do
    allocate (character(length) :: text)
    do i = 1, length
      text(i:i) = err%text(i)
    end do
  end function
end module
