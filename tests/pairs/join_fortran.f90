include 'tchains_values.f90'

module join_types
  use, intrinsic :: iso_c_binding
  implicit none
  character(*), parameter :: prototype = "(text,text,out u8[],bool)" // c_null_char
  character(kind=c_char), bind(C, name="join_fortran_payload_prototype") :: &
    stated(len(prototype)) = transfer(prototype, c_null_char, len(prototype))
end module

subroutine join_main(payload, payload_size, target_args) bind(C, name="join_fortran_main")
  use tchains_values
  use join_types
  type(c_ptr), value :: payload, target_args
  integer(c_size_t), value :: payload_size
  type(tc_values) :: message, answer
  character(kind=c_char), pointer :: first(:), second(:), both(:)
  integer(c_int64_t), pointer :: capacity
  logical(c_bool), pointer :: swapped
  integer(c_size_t) :: used

  if (.not. tc_message(message, answer, payload, payload_size, prototype)) return
  call tc_next(message, first)
  call tc_next(message, second)
  call tc_next(message, capacity)
  call tc_next(message, swapped)
  if (.not. tc_answer(answer, message)) return
  call tc_next(answer, both)
  used = 0
  if (swapped) call append(second)
  call append(first)
  if (.not. swapped) call append(second)
  call tc_reply_with(answer)
contains
  subroutine append(text)
    character(kind=c_char), intent(in) :: text(:)
    integer(c_size_t) :: i
    do i = 1, min(size(text, kind=c_size_t), size(both, kind=c_size_t) - used)
      both(used + i) = text(i)
    end do
    used = used + size(text, kind=c_size_t)
  end subroutine
end subroutine
