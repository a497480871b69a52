; An array as one value.
target triple = "x86_64-unknown-linux-gnu"

define void @foreign_main(ptr %payload, i64 %size, ptr %target) {
  %a = load [100000 x i8], ptr %payload
  store [100000 x i8] %a, ptr %target
  ret void
}
