! The line through points that fits best: the payload has all x, then all y; the answer is the
! line's height at 0 and its slope.
subroutine line_fit_main(payload, payload_size, target_args) bind(C, name="line_fit_main")
  use, intrinsic :: iso_c_binding
  implicit none
  type(c_ptr), value :: payload, target_args
  integer(c_size_t), value :: payload_size
  interface
    integer(c_int) function tc_reply(bytes, size) bind(C)
      import :: c_int, c_size_t, c_double
      real(c_double), intent(in) :: bytes(*)
      integer(c_size_t), value :: size
    end function
    integer(c_int) function tc_reply_error(status, text) bind(C)
      import :: c_int, c_char
      integer(c_int), value :: status
      character(kind=c_char), intent(in) :: text(*)
    end function
  end interface
  integer(c_int), parameter :: invalid = -3 ! TC_E_INVALID of tc/status.h
  real(c_double), pointer :: points(:, :)
  real(c_double) :: x, y, xx, xy, slope
  integer(c_int) :: status
  integer(c_size_t) :: i, n

  n = payload_size / 16
  if (n < 2 .or. mod(payload_size, 16_c_size_t) /= 0) then
    status = tc_reply_error(invalid, "expected as many x as y, two at least" // c_null_char)
    return
  end if
  call c_f_pointer(payload, points, [n, 2_c_size_t])
  x = 0
  y = 0
  xx = 0
  xy = 0
  do i = 1, n
    x = x + points(i, 1)
    y = y + points(i, 2)
    xx = xx + points(i, 1)**2
    xy = xy + points(i, 1) * points(i, 2)
  end do
  slope = (n * xy - x * y) / (n * xx - x * x)
  status = tc_reply([(y - slope * x) / n, slope], 16_c_size_t)
end subroutine
