include 'tchains_values.f90'

module blend_types
  use, intrinsic :: iso_c_binding
  implicit none
  character(*), parameter :: prototype = "({f64,f64},text,f64[],inout f32[],out {f64,i32},out i32[],bool)->f64" // c_null_char
  character(kind=c_char), bind(C, name="blend_fortran_payload_prototype") :: &
    stated(len(prototype)) = transfer(prototype, c_null_char, len(prototype))
  type, bind(C) :: limits_type
    real(c_double) :: low, high
  end type
  type, bind(C) :: tally_type
    real(c_double) :: sum
    integer(c_int32_t) :: count
  end type
end module

subroutine blend_main(payload, payload_size, target_args) bind(C, name="blend_fortran_main")
  use tchains_values
  use blend_types
  type(c_ptr), value :: payload, target_args
  integer(c_size_t), value :: payload_size
  type(tc_values) :: message, answer
  type(c_ptr) :: address
  type(limits_type), pointer :: limits
  type(tally_type), pointer :: tally
  character(kind=c_char), pointer :: name(:)
  real(c_double), pointer :: a(:), total
  real(c_float), pointer :: values(:), changed(:)
  integer(c_int32_t), pointer :: codes(:)
  integer(c_int64_t), pointer :: capacity
  logical(c_bool), pointer :: twice
  integer(c_size_t) :: i

  if (.not. tc_message(message, answer, payload, payload_size, prototype)) return
  call tc_next_struct(message, 16, address)
  call c_f_pointer(address, limits)
  call tc_next(message, name)
  call tc_next(message, a)
  call tc_next(message, values)
  call tc_next(message, capacity)
  call tc_next(message, twice)
  if (.not. tc_answer(answer, message)) return
  call tc_next(answer, total)
  call tc_next(answer, changed)
  call tc_next_struct(answer, 16, address)
  call c_f_pointer(address, tally)
  call tc_next(answer, codes)
  do i = 1, size(a, kind=c_size_t)
    if (a(i) >= limits%low .and. a(i) <= limits%high) total = total + a(i)
  end do
  tally%count = int(size(name), c_int32_t)
  do i = 1, size(values, kind=c_size_t)
    tally%sum = tally%sum + values(i)
    if (twice) changed(i) = 2 * values(i)
  end do
  do i = 1, size(codes, kind=c_size_t)
    codes(i) = -1
    if (i <= size(name)) codes(i) = iachar(name(i))
  end do
  call tc_reply_with(answer)
end subroutine
