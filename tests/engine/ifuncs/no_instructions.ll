; LLVM makes no instruction of a body that cannot be reached.
define void @no_instructions_main(ptr %payload, i64 %size, ptr %args) {
  unreachable
}
