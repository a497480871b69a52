include 'tchains_values.f90'

module gather_types
  use, intrinsic :: iso_c_binding
  implicit none
  character(*), parameter :: prototype = "(u16[],u8,{i16,i16}[],out {i16,i16}[])" // c_null_char
  character(kind=c_char), bind(C, name="gather_fortran_payload_prototype") :: &
    stated(len(prototype)) = transfer(prototype, c_null_char, len(prototype))
  type, bind(C) :: point
    integer(c_int16_t) :: x, y
  end type
end module

subroutine gather_main(payload, payload_size, target_args) bind(C, name="gather_fortran_main")
  use tchains_values
  use gather_types
  type(c_ptr), value :: payload, target_args
  integer(c_size_t), value :: payload_size
  type(tc_values) :: message, answer
  type(c_ptr) :: address
  integer(c_int16_t), pointer :: which(:)
  integer(c_int8_t), pointer :: factor
  type(point), pointer :: points(:), found(:)
  integer(c_size_t) :: count, i
  integer :: at, times

  if (.not. tc_message(message, answer, payload, payload_size, prototype)) return
  call tc_next(message, which)
  call tc_next(message, factor)
  call tc_next_structs(message, 4, address, count)
  call c_f_pointer(address, points, [count])
  if (.not. tc_answer(answer, message)) return
  call tc_next_structs(answer, 4, address, count)
  call c_f_pointer(address, found, [count])
  times = iand(int(factor), 255)
  do i = 1, min(count, size(which, kind=c_size_t))
    at = iand(int(which(i)), 65535) + 1
    if (at > size(points)) cycle
    found(i)%x = int(points(at)%x * times, c_int16_t)
    found(i)%y = int(points(at)%y * times, c_int16_t)
  end do
  call tc_reply_with(answer)
end subroutine
