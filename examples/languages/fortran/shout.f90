subroutine shout_main(payload, payload_size, target_args) bind(C, name="shout_main")
  use, intrinsic :: iso_c_binding
  type(c_ptr), value :: payload, target_args
  integer(c_size_t), value :: payload_size
  print *, payload_size
end subroutine
