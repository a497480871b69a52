; LLVM's greatest alignment, which its C interface shows as none.
define void @far_function_main(ptr %payload, i64 %size, ptr %args) align 4294967296 {
  ret void
}
