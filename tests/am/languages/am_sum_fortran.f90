! As ../shipped/am_sum.c; with a description it answers with the unit as it sees it.
include 'tchains_am.f90'

module am_sum_fortran
  use, intrinsic :: iso_c_binding
  use tchains_am
  implicit none
  integer(c_size_t), bind(C, name="am_sum_fortran_payload_unit") :: is_unit = 1
  integer(c_int), parameter :: invalid = -3 ! TC_E_INVALID
contains

  subroutine am_sum_fortran_main(payload, payload_size, target_args) bind(C, name="am_sum_fortran_main")
    type(c_ptr), value :: payload, target_args
    integer(c_size_t), value :: payload_size
    call tc_am_run(add, payload, payload_size)
  end subroutine

  subroutine add(unit) bind(C)
    type(tc_am_unit), intent(inout) :: unit
    integer(c_int64_t), pointer :: input(:), output(:), sums(:)
    integer(c_int8_t), pointer :: description(:)
    integer(c_int64_t) :: i, at
    if (.not. tc_am_input(unit, input)) return
    if (.not. tc_am_output(unit, output)) return
    if (.not. tc_am_range(unit, sums)) return
    call tc_am_description(unit, description)
    if (size(description) > 0) then
      do i = 0, unit%segments - 1
        output(10 * i + 1) = unit%first + i
        output(10 * i + 2) = unit%segments
        output(10 * i + 3) = unit%origin
        output(10 * i + 4) = unit%input_bytes
        output(10 * i + 5) = unit%output_bytes
        output(10 * i + 6) = unit%persistent_bytes
        output(10 * i + 7) = unit%description_bytes
        output(10 * i + 8) = description(1)
        output(10 * i + 9) = c_sizeof(unit)
        output(10 * i + 10) = unit%status
      end do
      return
    end if
    if (unit%persistent_bytes /= unit%input_bytes) then
      call tc_am_fail(unit, invalid, "the range has another size than a segment")
      return
    end if
    do i = 1, size(input, kind=c_int64_t)
      at = mod(i - 1, size(sums, kind=c_int64_t)) + 1
      if (input(i) < 0) then
        call tc_am_fail(unit, invalid, "a number below 0")
        return
      end if
      sums(at) = sums(at) + input(i)
      if (i <= size(output)) output(i) = sums(at)
    end do
  end subroutine
end module
