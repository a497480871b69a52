; A copy of an array as one value.
define void @large_value_main(ptr %payload, i64 %size, ptr %args) {
  %all = load volatile [100000000 x i64], ptr %payload, align 8
  store volatile [100000000 x i64] %all, ptr %args, align 8
  ret void
}
