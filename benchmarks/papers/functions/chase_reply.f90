! ifuncs/chase_reply.c in Fortran: follows pointers for as long as they lead to this server.
module dapc
  use, intrinsic :: iso_c_binding, only: c_f_pointer, c_int, c_int32_t, c_int64_t, c_ptr, c_size_t
  implicit none

  type, bind(c) :: dapc_shard
    type(c_ptr) :: entries
    integer(c_int64_t) :: rank
    integer(c_int64_t) :: place_bits
  end type

  type, bind(c) :: dapc_step
    integer(c_int64_t) :: address
    integer(c_int64_t) :: depth
  end type

  interface
    integer(c_int) function tc_reply(bytes, byte_count) bind(c)
      import :: c_int, c_int64_t, c_size_t
      integer(c_int64_t), intent(in) :: bytes
      integer(c_size_t), value :: byte_count
    end function
    integer(c_int) function tc_forward(rank, payload, payload_size) bind(c)
      import :: c_int, c_int32_t, c_size_t, dapc_step
      integer(c_int32_t), value :: rank
      type(dapc_step), intent(in) :: payload
      integer(c_size_t), value :: payload_size
    end function
  end interface
end module

subroutine chase_reply_fortran(step, step_size, shard) bind(c, name="chase_reply_fortran_main")
  use dapc
  type(dapc_step), intent(inout) :: step
  integer(c_size_t), value :: step_size
  type(dapc_shard), intent(in) :: shard
  integer(c_int64_t), pointer :: entries(:)
  integer(c_int64_t) :: address, depth, first, places
  integer(c_int) :: status
  places = shiftl(1_c_int64_t, shard%place_bits)
  first = shard%rank * places
  call c_f_pointer(shard%entries, entries, [places])
  address = step%address
  depth = step%depth
  do while (depth > 0 .and. address >= first .and. address < first + places)
    address = entries(address - first + 1)
    depth = depth - 1
  end do
  step%address = address
  step%depth = depth
  if (depth == 0) then
    status = tc_reply(step%address, 8_c_size_t)
  else
    status = tc_forward(int(shiftr(address, shard%place_bits), c_int32_t), step, step_size)
  end if
end subroutine
