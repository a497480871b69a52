! ifuncs/tsi.c in Fortran.
subroutine tsi_fortran(payload, payload_size, target_args) bind(c, name="tsi_fortran_main")
  use, intrinsic :: iso_c_binding, only: c_int64_t, c_ptr, c_size_t
  implicit none
  type(c_ptr), value :: payload
  integer(c_size_t), value :: payload_size
  integer(c_int64_t), intent(inout) :: target_args
  target_args = target_args + 1
end subroutine
