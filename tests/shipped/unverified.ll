; Bitcode that can be read and does not verify: a value is used before it is there.
define void @unverified_main(ptr %payload, i64 %size, ptr %args) {
  %late = add i64 %early, 1
  %early = add i64 %size, 1
  store i64 %late, ptr %payload
  ret void
}
